import type { VerificationRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { useNow } from '../ui/clock.ts';
import { ageText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { AskDialog } from './AskDialog.tsx';
import { Sheet } from './Sheet.tsx';
import { isTab, TABS, useVerifications } from './useVerifications.ts';
import own from './Verifications.module.css';

/** Photos of cards and documents: who waits for an answer, and what was answered. */
export default function VerificationsScreen() {
  const { id } = useParams();
  return id ? <Sheet key={id} id={id} /> : <Queue />;
}

function Queue() {
  const { t } = useWords();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('tab');
  const tab = isTab(asked) ? asked : 'sent';
  const list = useVerifications(tab);
  const { rows, counts, data, error, isPending, refetch } = list;
  const { canAccess: mayVerify = false } = useCanAccess({ resource: 'verifications', action: 'edit' });
  const [asking, setAsking] = useState(false);
  const countOf = { sent: counts.sent, asked: counts.asked, closed: 0 };
  return (
    <Page
      title={t('verifications.title')}
      line={t('verifications.line')}
      actions={mayVerify && <Button onClick={() => setAsking(true)}>{t('verifications.askAccount')}</Button>}
    >
      <div className={css.chips}>
        <Segments
          label={t('verifications.list')}
          value={tab}
          options={TABS.map((one) => ({
            value: one,
            label: `${t(`verifications.tabs.${one}`)}${countOf[one] > 0 ? ` ${countOf[one]}` : ''}`,
          }))}
          onValue={(next) => setSearch({ tab: next })}
        />
      </div>
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && rows.length === 0 && (
        <EmptyNote title={t(`verifications.empty.${tab}`)} text={t('verifications.emptyText')} />
      )}
      {rows.length > 0 && <Rows rows={rows} />}
      <More list={list} />
      {asking && <AskDialog onClose={() => setAsking(false)} />}
    </Page>
  );
}

function Rows({ rows }: { rows: VerificationRow[] }) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('verifications.what')}</th>
            <th scope="col">{t('verifications.claim')}</th>
            <th scope="col">{t('verifications.client')}</th>
            <th scope="col">{t('verifications.state')}</th>
            <th scope="col">{t('verifications.since')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: VerificationRow }) {
  const { t, language } = useWords();
  const navigate = useNavigate();
  const now = useNow();
  const open = () => navigate(`/verifications/${row.id}`);
  return (
    <tr className={css.choosing} onClick={open}>
      <td>
        <button type="button" className={own.what} onClick={open}>
          <strong>{t(`verifications.kinds.${row.kind}`)}</strong>
          {row.card && <span className={css.small}> {row.card}</span>}
        </button>
      </td>
      <td>{row.claim ? `№ ${row.claim.publicId}` : t('verifications.account')}</td>
      <td>{row.email}</td>
      <td>{t(`verifications.states.${row.state}`)}</td>
      <td className={css.small}>{ageText(now - Date.parse(row.updatedAt), language)}</td>
    </tr>
  );
}
