import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useList, useMayEdit } from '../api/index.ts';
import { Button, DataTable, Page, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { PartnerDialog } from './PartnerDialog.tsx';
import { PartnerPage } from './PartnerPage.tsx';
import { type Secret, SecretDialog } from './SecretDialog.tsx';

/** Partners, who exchange through the API for customers of their own. */
export default function PartnersScreen() {
  const { id } = useParams();
  return id ? <PartnerPage key={id} id={id} /> : <Partners />;
}

function Partners() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/partners');
  const mayEdit = useMayEdit('partners');
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<Secret | null>(null);
  return (
    <Page
      title={t('screens.partners')}
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
      <DataTable
        list={list}
        bones={{ height: 52 }}
        empty={{ title: t('partners.empty'), text: t('partners.emptyText') }}
        rowKey={(row) => row.id}
        isOff={(row) => !row.enabled}
        columns={[
          {
            head: t('things.partner'),
            cell: (row) => (
              <>
                <Link to={`/partners/${row.id}`}>
                  <strong>{row.name}</strong>
                </Link>
                {!row.enabled && <span className={css.bad}> {t('partners.off')}</span>}
                {row.status !== 'approved' && (
                  <span className={row.status === 'requested' ? css.bad : css.muted}>
                    {' '}
                    {t(`partners.statuses.${row.status}`)}
                  </span>
                )}
                <br />
                <span className={css.small}>{row.email}</span>
              </>
            ),
          },
          {
            head: t('partners.callback'),
            look: ['wide'],
            cell: (row) => row.callbackUrl || <span className={css.muted}>{t('partners.noCallback')}</span>,
          },
          { head: t('fields.since'), look: ['small'], cell: (row) => dateTimeText(row.createdAt) },
        ]}
      />
      {adding && <PartnerDialog onClose={() => setAdding(false)} onSecret={setSecret} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}
