import type { PartnerAccess } from '../../../api/types';
import { useMoney, useShortName, useUnit } from '../../../components/money';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { momentText } from '../moments';
import styles from './partner.module.css';

export function Statistics({ access }: { access: PartnerAccess }) {
  const t = useT('partner');
  const { turnover, earnings, payouts } = access;
  return (
    <>
      <p>
        {Number(access.commissionPercent) > 0
          ? t(`commission.${access.commissionKind}`, { percent: access.commissionPercent })
          : t('no_commission')}
      </p>
      {turnover.length === 0 ? <p className="muted">{t('no_turnover')}</p> : <Directions rows={turnover} />}
      {earnings.length > 0 ? <Earned rows={earnings} /> : null}
      {payouts.length > 0 ? <Paid rows={payouts} /> : null}
    </>
  );
}

function Directions({ rows }: { rows: PartnerAccess['turnover'] }) {
  const t = useT('partner');
  const money = useMoney();
  const name = useShortName();
  return (
    <ul className={`${styles.rows} num`}>
      {rows.map((row) => (
        <li key={`${row.from}-${row.to}`}>
          <div>
            <p>
              {name(row.from)} → {name(row.to)}
            </p>
            <p className="small muted">
              {t('claims', { count: row.claims })}, {t('completed', { count: row.completed })}
            </p>
          </div>
          <div className={styles.side}>
            <span>{money(row.sent, row.from)}</span>
            <span className="small muted">→ {money(row.received, row.to)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Earned({ rows }: { rows: PartnerAccess['earnings'] }) {
  const t = useT('partner');
  const money = useMoney();
  return (
    <>
      <h3>{t('earned')}</h3>
      <ul className={`${styles.rows} num`}>
        {rows.map((row) => (
          <li key={row.currency}>
            <div>
              <p>{money(row.earned, row.currency)}</p>
              <p className="small muted">
                <Of code={row.currency} />
                {t('by_claims', { count: row.claims })}
              </p>
            </div>
            <div className={styles.side}>
              <span>{t('balance', { amount: money(row.balance, row.currency) })}</span>
              {Number(row.debt) > 0 ? (
                <span className="small muted">{t('debt', { amount: money(row.debt, row.currency) })}</span>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
      <p className="small muted">{t('paid_how')}</p>
    </>
  );
}

function Paid({ rows }: { rows: PartnerAccess['payouts'] }) {
  const t = useT('partner');
  const locale = useLocale();
  const money = useMoney();
  return (
    <>
      <h3>{t('payouts')}</h3>
      <ul className={`${styles.rows} num`}>
        {rows.map((row) => (
          <li key={row.id}>
            <div>
              <p>{money(row.amount, row.currency)}</p>
              <p className={`${styles.break} small muted`}>
                <Of code={row.currency} />
                {row.tx}
              </p>
            </div>
            <time className="small muted" dateTime={row.createdAt}>
              {momentText(row.createdAt, locale, new Date())}
            </time>
          </li>
        ))}
      </ul>
    </>
  );
}

/** What a unit does not name: the bank of roubles, the network of dollars. */
function Of({ code }: { code: string }) {
  const name = useShortName()(code);
  return name === useUnit()(code) ? null : `${name}, `;
}
