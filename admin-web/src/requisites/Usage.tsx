import { compare, share } from '../ui/decimal.ts';
import { Amount, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import type { PaymentRequisite } from './limits.ts';

/** What payment details were given out for, against each limit they have. */
export function Usage({ row }: { row: PaymentRequisite }) {
  const { t } = useTexts();
  const limits = [
    { name: 'day', used: row.usedToday, limit: row.dailyLimit },
    { name: 'month', used: row.usedThisMonth, limit: row.monthlyLimit },
    { name: 'total', used: row.usedTotal, limit: row.turnoverLimit },
  ].filter(({ name, limit }) => limit !== null || name === 'day');
  return (
    <>
      {limits.map(({ name, used, limit }) => (
        <span key={name} className={css.line}>
          {t(`requisites.spans.${name}`)} <Amount value={used} />{' '}
          {limit === null ? (
            t('requisites.noLimit')
          ) : (
            <>
              {t('requisites.of')} <Amount value={limit} />
              <Gauge used={used} limit={limit} />
            </>
          )}
        </span>
      ))}
      {row.dailyCount !== null && (
        <span className={css.line}>
          {t('requisites.claimsToday', { count: row.claimsToday, limit: row.dailyCount })}
          <Gauge used={String(row.claimsToday)} limit={String(row.dailyCount)} />
        </span>
      )}
    </>
  );
}

function Gauge({ used, limit }: { used: string; limit: string }) {
  return (
    <span className={css.gauge} aria-hidden="true">
      <span
        className={compare(used, limit) >= 0 ? css.low : css.level}
        style={{ width: `${Math.min(share(used, limit), 1) * 100}%` }}
      />
    </span>
  );
}

/** Whether a claim would get the payment details now, and otherwise why not and until when. */
export function Availability({ row }: { row: PaymentRequisite }) {
  const { t, dateTimeText } = useTexts();
  if (row.unavailable === null) return <>{t('requisites.available')}</>;
  return (
    <span className={row.unavailable === 'disabled' ? css.small : css.bad}>
      {t(`requisites.reasons.${row.unavailable}`)}
      {row.availableAt && (
        <span className={css.line}>{t('requisites.until', { time: dateTimeText(row.availableAt) })}</span>
      )}
    </span>
  );
}
