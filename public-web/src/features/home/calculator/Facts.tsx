import { percentText } from '@agio/client/format';
import type { ReactNode } from 'react';
import type { Direction, Pair } from '../../../api/types';
import { moneyText, rateOf, rateText, reserveText } from '../../../components/amounts';
import { Countdown } from '../../../components/Countdown';
import { cx } from '../../../components/cx';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { Conditions } from '../../../pair/Conditions';
import type { Amounts } from './entry';
import styles from './Facts.module.css';

interface FactsProps {
  pair: Pair | null;
  from: Direction | null;
  to: Direction | null;
  /** The rate of the typed amount's tier. */
  rate: string | null;
  amounts: Amounts;
  quoteSpan: number;
  /** Whether the server could not be asked for newer ones. */
  isOld: boolean;
}

interface LoadedFacts {
  pair: Pair;
  from: Direction;
  to: Direction;
  rate: string;
  amounts: Amounts;
}

/** The breakdown: rate, fees, reserve, how long the rate holds, and other conditions. */
export function Facts({ pair, from, to, rate, amounts, quoteSpan, isOld }: FactsProps) {
  const t = useT('home');
  const locale = useLocale();
  const known = pair && from && to && rate ? { pair, from, to, rate, amounts } : null;
  const hours = new Intl.NumberFormat(locale, { style: 'unit', unit: 'hour', unitDisplay: 'long' });
  const hold = (minutes: number) =>
    minutes % 60 === 0 ? hours.format(minutes / 60) : t('hold_minutes', { count: minutes });
  return (
    <>
      <dl className={cx(styles.facts, 'num', isOld && 'muted')}>
        <Fact name={t('rate')}>{known ? <Rate {...known} /> : null}</Fact>
        <Fact name={t('fees')}>{known ? <Fees {...known} /> : null}</Fact>
        <Fact name={t('reserve')}>{known ? reserveText(known.pair.reserve, known.to.ticker, locale) : null}</Fact>
        <Fact name={t('hold')}>
          {known ? (
            known.pair.floating ? (
              t('hold_floating')
            ) : (
              <>
                {hold(known.pair.holdMinutes)}
                <small className={styles.more}>
                  <span className="wide-only">
                    {t('hold_next')}{' '}
                    <Countdown until={known.pair.quote.expiresAt} span={quoteSpan} className={styles.hold} />
                  </span>
                </small>
              </>
            )
          ) : null}
        </Fact>
      </dl>
      <Conditions pair={pair} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? <Skeleton className={styles.blank} />}</dd>
    </div>
  );
}

/** The rate, and below it the effective rate of the typed amount, fees and rounding included. */
function Rate({ pair, from, to, rate, amounts: { give, receive } }: LoadedFacts) {
  const t = useT('home');
  const locale = useLocale();
  const text = (value: string) => rateText(value, from.ticker, to.ticker, locale);
  const effective = give && receive ? rateOf(give, receive) : null;
  const isWhole = effective === null || text(effective) === text(rate);
  return (
    <>
      <details className={styles.why}>
        <summary>{text(rate)}</summary>
        <small className={styles.more}>{pair.explanation}</small>
      </details>
      {pair.bonus === '0' ? null : (
        <>
          {' '}
          <span className={styles.chip} title={t('bonus')}>
            <span className="vh">{t('bonus')} </span>
            {`+${percentText(pair.bonus, locale)}`}
          </span>
        </>
      )}
      {isWhole ? null : (
        <small className={styles.more}>
          {t(hasFees(pair) ? 'rate_effective' : 'rate_rounded', { rate: text(effective) })}
        </small>
      )}
    </>
  );
}

const hasFees = ({ fees: { from, to } }: Pair) => from.fixed !== '0' || to.fixed !== '0';

/** Fixed fees; percentage fees are part of the rate. */
function Fees({ pair, from, to }: LoadedFacts) {
  const t = useT('home');
  const { fees } = pair;
  if (!hasFees(pair)) return t('fees_inside');
  return (
    <>
      <Fee fixed={fees.from.fixed} ticker={from.ticker} of={t('fee_give')} />
      <Fee fixed={fees.to.fixed} ticker={to.ticker} of={t('fee_receive')} />
    </>
  );
}

function Fee({ fixed, ticker, of }: { fixed: string; ticker: string; of: string }) {
  const locale = useLocale();
  return fixed === '0' ? null : (
    <span className={styles.fee}>
      {moneyText(fixed, ticker, locale)} <small className={styles.more}>{of}</small>
    </span>
  );
}
