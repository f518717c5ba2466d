import { useState } from 'react';
import { Link } from 'react-router';
import { api, type Row, useList, useMayEdit } from '../api/index.ts';
import { AuditLink, Button, CopyButton, DataTable, Field, FormDialog, Sum, useTexts, useUnits } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { type ListTab, ListTabs, REFRESH_MS } from './ListTabs.tsx';
import own from './Referral.module.css';

type Withdrawal = Row<'/referral/withdrawals'>;
type Step = { row: Withdrawal; action: Withdrawal['actions'][number] };

/** What referrers request, the oldest first. */
export function Withdrawals() {
  const { t, dateTimeText } = useTexts();
  const [tab, setTab] = useState<ListTab>('open');
  const list = useList('/referral/withdrawals', { query: { tab }, refetchInterval: REFRESH_MS });
  const mayPay = useMayEdit('referral');
  const [step, setStep] = useState<Step | null>(null);
  return (
    <>
      <ListTabs tab={tab} texts="withdrawalTabs" onTab={setTab} />
      <DataTable
        list={list}
        bones={{ height: 42 }}
        empty={{ title: t(`referral.noWithdrawals.${tab}`) }}
        rowKey={(row) => row.id}
        buttons={(row) =>
          mayPay &&
          row.actions.map((action) => (
            <Button key={action} onClick={() => setStep({ row, action })}>
              {t(`referral.step.${action}.label`)}
            </Button>
          ))
        }
        columns={[
          {
            head: t('things.referrer'),
            look: ['full'],
            className: own.email,
            cell: (row) => <Link to={`/referral/${row.referrerId}`}>{row.email}</Link>,
          },
          {
            head: t('fields.amount'),
            look: ['right', 'full'],
            label: true,
            cell: (row) => <Sum value={row.amount} code={row.currency} />,
          },
          {
            head: t('referral.goesTo'),
            look: ['full'],
            cell: (row) =>
              row.requisites.map(({ label, value }) => (
                <span key={label} className={css.footer}>
                  {value}
                  <CopyButton value={value} label={label} />
                </span>
              )),
          },
          { head: t('fields.state'), cell: (row) => <Status row={row} /> },
          { head: t('referral.requestedAt'), look: ['small'], cell: (row) => dateTimeText(row.createdAt) },
        ]}
      />
      {step && <StepDialog {...step} onClose={() => setStep(null)} />}
    </>
  );
}

function Status({ row }: { row: Withdrawal }) {
  const { t, amountText } = useTexts();
  const units = useUnits();
  const lines = [
    row.approvedBy && t('referral.approvedBy', { name: row.approvedBy }),
    row.decidedBy && t('referral.decidedBy', { name: row.decidedBy }),
    row.tx,
    row.reason,
    row.debt === '0'
      ? null
      : `${t('referral.debt')}: ${amountText(row.debt)} ${units.get(row.currency) ?? row.currency}`,
  ];
  return (
    <>
      {t(`referral.withdrawalStates.${row.status}`)}
      {lines.filter(Boolean).map((line) => (
        <span key={line} className={css.line}>
          {line}
        </span>
      ))}
    </>
  );
}

/** Asks once more before a withdrawal is approved, paid or refused, and for what belongs to it. */
function StepDialog({ row, action, onClose }: Step & { onClose: () => void }) {
  const { t, amountText } = useTexts();
  const units = useUnits();
  const needed = action === 'pay' ? 'txId' : action === 'refuse' ? 'reason' : null;
  const amount = `${amountText(row.amount)} ${units.get(row.currency) ?? row.currency}`;
  return (
    <FormDialog
      title={t(`referral.step.${action}.title`, { amount })}
      initial={{ txId: '', reason: '' }}
      required={needed === null ? [] : [needed]}
      save={(draft, once) =>
        api.POST('/referral/withdrawals/{id}/steps', {
          ...once,
          params: { path: { id: row.id } },
          body: { action, revision: row.revision, ...(needed && { [needed]: draft[needed].trim() }) },
        })
      }
      submit={t(`referral.step.${action}.do`)}
      done={t(`referral.step.${action}.done`)}
      stale={['/referral*', '/dashboard']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{t(`referral.step.${action}.text`, { email: row.email })}</p>
          {needed && <Field label={t(`referral.${needed}`)} autoComplete="off" autoFocus {...field(needed)} />}
          <AuditLink kind="referral_withdrawal" id={row.id} />
        </>
      )}
    </FormDialog>
  );
}
