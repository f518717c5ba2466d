import type { Schema } from '@agio/client/admin';
import { Link } from 'react-router';
import { api, useList } from '../api/index.ts';
import { ActionButton, AuditLink, Button, DataTable, Facts, Modal, useTexts } from '../ui/index.ts';
import own from './Discounts.module.css';

/** A promo code: its terms, which claims use it, and the button that ends it. */
export function PromoPanel({ code, mayEnd, onClose }: { code: string; mayEnd: boolean; onClose: () => void }) {
  const { t, dateTimeText } = useTexts();
  const list = useList('/discounts/promos/{code}', { path: { code } });
  const promo = list.meta?.promo;
  const canEnd = mayEnd && promo !== undefined && promo.stoppedAt === null && promo.state !== 'over';
  return (
    <Modal
      open
      onClose={onClose}
      title={code}
      actions={
        <>
          <Button onClick={onClose}>{t('action.close')}</Button>
          {canEnd && (
            <ActionButton
              variant="outlined"
              color="error"
              label={t('discounts.stop')}
              run={() => api.POST('/discounts/promos/{code}/stop', { params: { path: { code } } })}
              done={t('discounts.stopped', { code })}
              stale={['/discounts/promos*']}
            />
          )}
        </>
      }
    >
      {promo && <Terms promo={promo} />}
      {canEnd && <p className={own.text}>{t('discounts.stopText')}</p>}
      <DataTable
        list={list}
        plain
        within
        bones={{ rows: 4 }}
        empty={{ title: t('discounts.noUses') }}
        rowKey={(row) => row.claimId}
        isOff={(row) => row.releasedAt !== null}
        columns={[
          {
            head: t('things.claim'),
            cell: (row) => <Link to={`/claims/${row.claimId}`}>{`№ ${row.claimNumber}`}</Link>,
          },
          { head: t('discounts.email'), cell: (row) => row.email },
          {
            head: t('fields.when'),
            look: ['small'],
            cell: (row) => (
              <>
                {dateTimeText(row.redeemedAt)}
                {row.releasedAt && <span className={own.returned}>{t('discounts.returned')}</span>}
              </>
            ),
          },
        ]}
      />
      {promo && <AuditLink kind="promo" id={code} />}
    </Modal>
  );
}

function Terms({ promo }: { promo: Schema<'PromoCodeView'> }) {
  const { t, amountText, percentText, dateTimeText } = useTexts();
  return (
    <Facts
      facts={[
        [t('fields.percent'), `+${percentText(promo.percent)}`],
        [t('fields.state'), t(`discounts.states.${promo.state}`)],
        [t('discounts.usesMax'), promo.usesMax ?? t('discounts.any')],
        [t('discounts.perCustomer'), promo.perCustomer ?? t('discounts.any')],
        [t('discounts.min'), promo.min === null ? t('discounts.any') : `${amountText(promo.min)} ${promo.minTicker}`],
        [t('discounts.starts'), dateTimeText(promo.startsAt)],
        [t('fields.until'), promo.endsAt ? dateTimeText(promo.endsAt) : t('discounts.noEnd')],
        [t('discounts.createdBy'), `${promo.createdBy}, ${dateTimeText(promo.createdAt)}`],
      ]}
    />
  );
}
