import { api, useList, useMayEdit } from '../api/index.ts';
import { ActionButton, AuditLink, DataTable, ErrorNote, Section, useTexts } from '../ui/index.ts';
import table from '../ui/Table.module.css';
import { splitAlert } from './alertText.ts';
import { DeliveryTime } from './DeliveryTime.tsx';
import css from './Mail.module.css';

/** Alerts to staff that notifiers could not deliver. Nothing is shown while there are none. */
export function StaffAlerts() {
  const { t } = useTexts();
  const mayResend = useMayEdit('notices');
  const list = useList('/staff-alerts', { query: { state: 'dead' }, refetchInterval: 15_000 });
  if (list.error) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (list.rows.length === 0) return null;
  return (
    <Section title={t('notices.title')}>
      <p className={css.line}>{t('notices.line')}</p>
      <DataTable
        list={list}
        rowKey={(row) => row.id}
        buttons={(row) =>
          mayResend && (
            <ActionButton
              label={t('action.resend')}
              run={() => api.POST('/staff-alerts/{id}/resend', { params: { path: { id: row.id } } })}
              done={t('notices.resent')}
              stale={['/staff-alerts', '/dashboard']}
            />
          )
        }
        columns={[
          { head: t('notices.notifier'), cell: (row) => row.notifier },
          {
            head: t('notices.text'),
            look: ['full'],
            cell: (row) => {
              const { head, rest } = splitAlert(row.text);
              return (
                <>
                  <strong>{head}</strong>
                  {rest && <p className={css.rest}>{rest}</p>}
                  {row.fault && <span className={table.fault}>{row.fault}</span>}
                  <AuditLink kind="notice" id={row.id} />
                </>
              );
            },
          },
          {
            head: t('mail.when.dead'),
            look: ['whole'],
            cell: (row) => <DeliveryTime at={row.settledAt} attempts={row.attempts} />,
          },
        ]}
      />
    </Section>
  );
}
