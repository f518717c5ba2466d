import type { ReactNode } from 'react';
import type { Direction, Pair } from '../../../api/types';
import { shorten, unitOf, writeAmount, writeMoney, writeReserve } from '../../../components/amounts';
import { Countdown } from '../../../components/Countdown';
import { cx } from '../../../components/cx';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './Facts.module.css';

interface FactsProps {
  pair: Pair | null;
  from: Direction | null;
  to: Direction | null;
  /** The course of the typed amount's tier. */
  course: string | null;
  quoteSpan: number;
}

/** The breakdown in plain words: rate, bonus, reserve, how long the rate is held. */
export function Facts({ pair, from, to, course, quoteSpan }: FactsProps) {
  const t = useT('home');
  const locale = useLocale();
  const ready = pair && from && to && course ? { pair, from, to, course } : null;
  return (
    <dl className={cx(styles.facts, 'num')}>
      <Fact name={t('rate')} more={t('rate_more')}>
        {ready ? (
          <span title={ready.pair.explanation}>{rateText(ready.course, ready.from, ready.to, locale)}</span>
        ) : null}
      </Fact>
      <Fact name={t('bonus')} more={t('bonus_more')}>
        {ready ? <Bonus percent={ready.pair.bonus} /> : null}
      </Fact>
      <Fact name={t('reserve')}>{ready ? writeReserve(ready.pair.reserve, ready.to.ticker, locale) : null}</Fact>
      <Fact name={t('hold')}>
        {ready ? <Countdown until={ready.pair.quote.expiresAt} span={quoteSpan} className={styles.hold} /> : null}
      </Fact>
    </dl>
  );
}

function Fact({ name, more, children }: { name: string; more?: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        {name}
        {more ? <span className="wide-only">{more}</span> : null}
      </dt>
      <dd>{children ?? <Skeleton className={styles.blank} />}</dd>
    </div>
  );
}

function Bonus({ percent }: { percent: string }) {
  const t = useT('home');
  const locale = useLocale();
  if (percent === '0') {
    return <span className="muted">{t('bonus_none')}</span>;
  }
  return <span className={styles.chip}>{`+${writeAmount(percent, locale)}\u00a0%`}</span>;
}

/** One unit of what is dear in terms of what is cheap: "1 BTC = 6 012 345 ₽", also where roubles are sent. */
export function rateText(course: string, from: Direction, to: Direction, locale: 'ru' | 'en'): string {
  const one = (code: string) => `1\u00a0${unitOf(code)}`;
  if (!course.startsWith('0.') || !/[1-9]/.test(course)) {
    return `${one(from.ticker)} = ${writeMoney(shorten(course, 7), to.ticker, locale)}`;
  }
  return `${one(to.ticker)} = ${writeMoney(shorten(inverse(course), 7), from.ticker, locale)}`;
}

const SCALE = 24;

/** One divided by a decimal below one, to be read, not to be computed with. */
function inverse(course: string): string {
  const units = BigInt((course.split('.')[1] ?? '').slice(0, SCALE).padEnd(SCALE, '0'));
  if (units === 0n) {
    return '0';
  }
  const digits = ((10n ** BigInt(SCALE) * 10n ** 8n) / units).toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}
