import type { PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link, useParams } from 'react-router';
import { api } from '../api/api.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { PARTNERS } from './keys.ts';
import { PartnerDialog } from './PartnerDialog.tsx';
import { PartnerPage } from './PartnerPage.tsx';
import { SecretDialog, type Shown } from './SecretDialog.tsx';

/** Who exchanges through the house for customers of their own. */
export default function PartnersScreen() {
  const { id } = useParams();
  return id ? <PartnerPage key={id} id={id} /> : <Partners />;
}

function Partners() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({ queryKey: PARTNERS, queryFn: api.partners });
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'partners', action: 'edit' });
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<Shown | null>(null);
  return (
    <Page
      title={t('partners.title')}
      line={t('partners.line')}
      actions={
        <>
          <Button href="/docs/partner" target="_blank" rel="noreferrer">
            {t('partners.guide')}
          </Button>
          {mayEdit && (
            <Button variant="contained" onClick={() => setAdding(true)}>
              {t('partners.add')}
            </Button>
          )}
        </>
      }
    >
      {isPending && <SkeletonRows height={52} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <EmptyNote title={t('partners.empty')} text={t('partners.emptyText')} />}
      {data && data.length > 0 && <PartnerTable rows={data} />}
      {adding && <PartnerDialog onClose={() => setAdding(false)} onMade={setSecret} />}
      {secret && <SecretDialog shown={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

function PartnerTable({ rows }: { rows: PartnerRow[] }) {
  const { t, language } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('partners.partner')}</th>
            <th scope="col" className={css.wide}>
              {t('partners.callback')}
            </th>
            <th scope="col">{t('partners.since')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className={row.enabled ? undefined : css.off}>
              <td>
                <Link to={`/partners/${row.id}`}>
                  <strong>{row.name}</strong>
                </Link>
                {!row.enabled && <span className={css.bad}> {t('partners.off')}</span>}
                {row.standing !== 'approved' && (
                  <span className={row.standing === 'requested' ? css.bad : css.muted}>
                    {' '}
                    {t(`partners.standings.${row.standing}`)}
                  </span>
                )}
                <br />
                <span className={css.small}>{row.email}</span>
              </td>
              <td className={css.wide}>
                {row.callbackUrl || <span className={css.muted}>{t('partners.noCallback')}</span>}
              </td>
              <td className={css.small}>{momentText(row.createdAt, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
