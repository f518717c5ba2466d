import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, useList, useMayEdit } from '../api/index.ts';
import { ActionButton, Button, CopyButton, DataTable, Field, FormDialog, Section, Sum, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { REFRESH_MS } from './refresh.ts';

type Attempt = Schema<'PaymentAttemptView'>;

/** What staff can do about an attempt: query its driver, or send it again. */
const FOLLOW_UP: Record<Attempt['state'], 'check' | 'retry' | null> = {
  queued: null,
  sending: 'check',
  sent: 'check',
  unknown: 'check',
  never_sent: 'retry',
  returned: 'retry',
  confirmed: null,
  cancelled: null,
};
const BAD: Attempt['state'][] = ['unknown', 'never_sent', 'returned'];

/** Attempts to send money; unsettled ones first. */
export function PaymentAttempts() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/payments/attempts', { refetchInterval: REFRESH_MS });
  const maySettle = useMayEdit('paymentsSettle');
  const [retried, setRetried] = useState<Attempt | null>(null);
  return (
    <Section title={t('payments.attempts')}>
      <DataTable
        list={list}
        rowKey={(row) => row.id}
        empty={{ title: t('payments.noAttempts') }}
        buttons={(row) => (
          <>
            {maySettle && FOLLOW_UP[row.state] === 'check' && (
              <ActionButton
                label={t('payments.ask')}
                run={() => api.POST('/payments/attempts/{id}/check', { params: { path: { id: row.id } } })}
                done={({ state }) => t('payments.driverSays', { state: t(`payments.states.${state}`) })}
                stale={['/payments/attempts']}
              />
            )}
            {maySettle && FOLLOW_UP[row.state] === 'retry' && row.kind === 'payout' && (
              <Button onClick={() => setRetried(row)}>{t('action.sendAgain')}</Button>
            )}
          </>
        )}
        columns={[
          {
            head: t('things.claim'),
            cell: (row) => (
              <>
                <Link to={`/claims/${row.claim}`}>№ {row.claimNumber}</Link>
                <span className={css.line}>{t(`payments.kinds.${row.kind}`)}</span>
              </>
            ),
          },
          {
            head: t('fields.amount'),
            look: ['right'],
            cell: (row) => <Sum value={row.amount} code={row.currency} />,
          },
          {
            head: t('payments.outcome'),
            look: ['full'],
            cell: (row) => (
              <>
                <span className={BAD.includes(row.state) ? css.bad : undefined}>
                  {t(`payments.states.${row.state}`)}
                </span>
                {row.txId && (
                  <span className={css.line}>
                    {row.txId} <CopyButton value={row.txId} label={row.txId} />
                  </span>
                )}
                {row.fault && <span className={css.line}>{row.fault}</span>}
                {row.staff && <span className={css.line}>{row.staff}</span>}
              </>
            ),
          },
          {
            head: t('payments.written'),
            look: ['small', 'wide'],
            cell: (row) => dateTimeText(row.createdAt),
          },
        ]}
      />
      {retried && (
        <FormDialog
          title={t('payments.againTitle', { number: retried.claimNumber })}
          initial={{ note: '' }}
          required={['note']}
          save={({ note }, once) =>
            api.POST('/payments/attempts/{id}/retry', {
              ...once,
              params: { path: { id: retried.id } },
              body: { note: note.trim() },
            })
          }
          submit={t('action.sendAgain')}
          done={t('payments.againDone')}
          stale={['/payments/attempts', '/claims*']}
          onClose={() => setRetried(null)}
        >
          {({ field }) => (
            <>
              <p>{t('payments.againText')}</p>
              <Field label={t('payments.note')} {...field('note')} />
            </>
          )}
        </FormDialog>
      )}
    </Section>
  );
}
