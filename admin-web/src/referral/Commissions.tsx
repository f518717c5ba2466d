import type { Schema } from '@agio/client/admin';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { api, type ListState, useList, useMayEdit } from '../api/index.ts';
import { AuditLink, DataTable, Field, FormDialog, Segments, Sum, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { type ListTab, ListTabs, REFRESH_MS } from './ListTabs.tsx';
import own from './Referral.module.css';

type Commission = Schema<'ReferralCommissionView'>;
type Decision = Schema<'ReviewReferralCommissionRequest'>['decision'];

/** Commissions: those to be reviewed, or all of them. */
export function Commissions() {
  const { t } = useTexts();
  const [tab, setTab] = useState<ListTab>('open');
  const list = useList('/referral/commissions', { query: { tab }, refetchInterval: REFRESH_MS });
  return (
    <>
      <ListTabs tab={tab} texts="commissionTabs" onTab={setTab} />
      <CommissionTable list={list} empty={{ title: t(`referral.noCommissions.${tab}`) }} />
    </>
  );
}

type TableProps = { list: ListState<Commission> | Commission[]; empty: ReactNode | { title: string } };

export function CommissionTable({ list, empty }: TableProps) {
  const { t, percentText, dateTimeText } = useTexts();
  const mayReview = useMayEdit('referralReview');
  const [reviewed, setReviewed] = useState<Commission | null>(null);
  return (
    <>
      <DataTable
        list={list}
        bones={{ height: 42 }}
        empty={empty}
        rowKey={(row) => row.id}
        button={mayReview && { label: t('referral.decide'), isShown: (row) => row.open, onClick: setReviewed }}
        columns={[
          {
            head: t('things.claim'),
            cell: (row) => (
              <>
                <Link to={`/claims/${row.claimId}`}>№ {row.claimNumber}</Link>
                <span className={css.line}>{row.email}</span>
              </>
            ),
          },
          {
            head: t('things.referrer'),
            className: own.email,
            cell: (row) => (
              <>
                <Link to={`/referral/${row.referrerId}`}>{row.referrer}</Link>
                <span className={css.line}>{percentText(row.percent)}</span>
              </>
            ),
          },
          {
            head: t('fields.amount'),
            number: true,
            cell: (row) => (row.currency ? <Sum value={row.amount} code={row.currency} /> : '—'),
          },
          { head: t('fields.state'), look: ['full'], cell: (row) => <Status row={row} /> },
          { head: t('referral.earnedAt'), look: ['small'], cell: (row) => dateTimeText(row.createdAt) },
        ]}
      />
      {reviewed && <ReviewDialog row={reviewed} onClose={() => setReviewed(null)} />}
    </>
  );
}

function Status({ row }: { row: Commission }) {
  const { t } = useTexts();
  const lines = [
    ...row.flags.map(({ text }) => text),
    row.reason?.text,
    row.decidedBy && t('referral.decidedBy', { name: row.decidedBy }),
    row.comment,
  ];
  return (
    <>
      {t(`referral.commissionStates.${row.status}`)}
      {lines.filter(Boolean).map((line) => (
        <span key={line} className={css.line}>
          {line}
        </span>
      ))}
    </>
  );
}

/** Whether a commission is paid; a refusal needs a comment. */
function ReviewDialog({ row, onClose }: { row: Commission; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('referral.decideTitle', { number: row.claimNumber })}
      initial={{ decision: 'approve' as Decision, comment: '' }}
      required={({ decision }) => (decision === 'approve' ? [] : ['comment'])}
      save={({ decision, comment }, once) =>
        api.POST('/referral/commissions/{id}/decision', {
          ...once,
          params: { path: { id: row.id } },
          body: { decision, ...(comment.trim() && { comment: comment.trim() }) },
        })
      }
      submit={({ decision }) => t(`referral.verdict.${decision}`)}
      done={t('referral.decided')}
      stale={['/referral*', '/dashboard']}
      onClose={onClose}
    >
      {({ field, draft, change }) => (
        <>
          {row.flags.length > 0 && (
            <ul>
              {row.flags.map(({ code, text }) => (
                <li key={code}>{text}</li>
              ))}
            </ul>
          )}
          {row.reason && <p>{row.reason.text}</p>}
          <Segments
            label={t('referral.decide')}
            value={draft.decision}
            options={(['approve', 'refuse'] as const).map((value) => ({
              value,
              label: t(`referral.verdicts.${value}`),
            }))}
            onValue={(decision) => change({ decision })}
          />
          <Field label={t('fields.why')} help={t('referral.commentHelp')} autoComplete="off" {...field('comment')} />
          <AuditLink kind="referral_commission" id={row.id} />
        </>
      )}
    </FormDialog>
  );
}
