import { useState } from 'react';
import { Link } from 'react-router';
import { api, type Row, useList } from '../api/index.ts';
import { DeliveryTime } from '../mail/DeliveryTime.tsx';
import { ActionButton, DataTable, Segments, useTexts } from '../ui/index.ts';
import table from '../ui/Table.module.css';
import { shortId } from '../ui/things.ts';
import css from './Partners.module.css';

const STATES = ['all', 'dead', 'queued', 'sent'] as const;

/** Webhooks of a partner: delivered, waiting and failed ones; each can be sent again. */
export function WebhookDeliveries({ partner, mayEdit }: { partner: string; mayEdit: boolean }) {
  const { t } = useTexts();
  const [state, setState] = useState<(typeof STATES)[number]>('all');
  const list = useList('/partners/{id}/webhook-deliveries', {
    path: { id: partner },
    query: state === 'all' ? {} : { state },
    refetchInterval: 15_000,
  });
  return (
    <>
      <Segments
        label={t('partners.webhooksView')}
        value={state}
        options={STATES.map((value) => ({ value, label: t(`partners.webhookStates.${value}`) }))}
        onValue={setState}
      />
      <DataTable
        list={list}
        within
        bones={{ rows: 4, height: 42 }}
        empty={<p className={css.muted}>{t('partners.noWebhooks')}</p>}
        rowKey={(row) => row.id}
        columns={[
          {
            head: t('things.claim'),
            cell: (row) =>
              row.sandbox ? (
                <>
                  {shortId(row.claim)} <span className={css.mark}>{t('partners.sandboxMark')}</span>
                </>
              ) : (
                <Link to={`/claims/${row.claim}`}>{shortId(row.claim)}</Link>
              ),
          },
          {
            head: t('partners.event'),
            look: ['full'],
            cell: (row) => (
              <>
                {t(`statusFull.${row.status}`, { _: row.status })}
                <span className={row.state === 'dead' ? css.error : css.muted}>
                  {' '}
                  {t(`partners.webhookStates.${row.state}`)}
                </span>
                {row.fault && <span className={table.line}>{row.fault}</span>}
              </>
            ),
          },
          { head: t('partners.callback'), look: ['wide'], className: css.url, cell: (row) => row.url },
          {
            head: t('fields.when'),
            look: ['small'],
            cell: (row) => <Delivery partner={partner} row={row} mayEdit={mayEdit} />,
          },
        ]}
      />
    </>
  );
}

type DeliveryProps = { partner: string; row: Row<'/partners/{id}/webhook-deliveries'>; mayEdit: boolean };

function Delivery({ partner, row, mayEdit }: DeliveryProps) {
  const { t } = useTexts();
  return (
    <>
      <DeliveryTime
        at={row.state === 'queued' ? row.nextAt : row.settledAt}
        attempts={row.attempts > 1 ? row.attempts : 0}
      />
      {mayEdit && row.state !== 'queued' && (
        <div>
          <ActionButton
            size="small"
            label={t('action.resend')}
            run={() =>
              api.POST('/partners/{id}/webhook-deliveries/{message}/resend', {
                params: { path: { id: partner, message: row.id } },
              })
            }
            done={t('partners.resent')}
            stale={[`/partners/${partner}/webhook-deliveries`]}
          />
        </div>
      )}
    </>
  );
}
