import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, useList, useMayEdit } from '../api/index.ts';
import { ActionButton, Button, CopyButton, DataTable, Field, FormDialog, Sum, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { REFRESH_MS } from './refresh.ts';

type Movement = Schema<'PaymentMovementView'>;

/** Incoming payments with issues. */
export function PaymentMovements() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/payments/movements', { refetchInterval: REFRESH_MS });
  const maySettle = useMayEdit('paymentsSettle');
  const [attached, setAttached] = useState<Movement | null>(null);
  return (
    <section>
      {list.rows.length > 0 && (
        <div className={css.chips}>
          <h2 className={css.asideTitle}>{t('payments.movements')}</h2>
        </div>
      )}
      <DataTable
        list={list}
        rowKey={(row) => row.id}
        empty={{ title: t('payments.calm'), text: t('payments.calmText') }}
        buttons={(row) =>
          maySettle && (
            <>
              {row.issue === 'unclaimed' && <Button onClick={() => setAttached(row)}>{t('payments.attach')}</Button>}
              <ActionButton
                label={t('payments.settle')}
                run={() => api.POST('/payments/movements/{id}/resolve', { params: { path: { id: row.id } } })}
                done={t('payments.settled')}
                stale={['/payments/movements', '/dashboard']}
              />
            </>
          )
        }
        columns={[
          {
            head: t('fields.why'),
            cell: (row) => (
              <>
                <strong className={css.bad}>{t(`payments.issues.${row.issue}`)}</strong>
                {row.claim && (
                  <span className={css.line}>
                    <Link to={`/claims/${row.claim}`}>{t('things.claim')}</Link>
                  </span>
                )}
              </>
            ),
          },
          {
            head: t('fields.amount'),
            look: ['right'],
            cell: (row) => <Sum value={row.amount} code={row.currency} />,
          },
          {
            head: t('fields.transaction'),
            look: ['full'],
            cell: (row) => (
              <>
                <span className={css.line}>
                  {row.txId} <CopyButton value={row.txId} label={row.txId} />
                </span>
                <span className={css.line}>{row.address}</span>
                {row.memo && <span className={css.line}>{row.memo}</span>}
              </>
            ),
          },
          {
            head: t('payments.seen'),
            look: ['small', 'wide'],
            cell: (row) => dateTimeText(row.createdAt),
          },
        ]}
      />
      {attached && (
        <FormDialog
          title={t('payments.attach')}
          initial={{ claim: '' }}
          isReady={({ claim }) => /^\d{1,12}$/.test(claim.trim())}
          save={({ claim }) =>
            api.POST('/payments/movements/{id}/attach', {
              params: { path: { id: attached.id } },
              body: { claim: Number(claim) },
            })
          }
          submit={t('payments.attach')}
          done={t('payments.attached')}
          stale={['/payments/movements', '/claims*', '/dashboard']}
          onClose={() => setAttached(null)}
        >
          {({ field }) => (
            <>
              <p>{t('payments.attachText')}</p>
              <Field label={t('payments.claimNumber')} {...field('claim')} />
            </>
          )}
        </FormDialog>
      )}
    </section>
  );
}
