import { significant } from '@agio/client/decimal';
import { amountText, clockText, numericDayText } from '@agio/client/format';
import { startTransition, useEffect, useState } from 'react';
import { call } from '../../../api/client';
import type { Direction, FeaturedRate } from '../../../api/types';
import { moneyText, rateText, reserveText, unitOf } from '../../../components/amounts';
import { Coin } from '../../../components/Coin';
import { shortName } from '../../../components/currencyName';
import { Link } from '../../../components/Link';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { servedMarket } from '../../../served/servedMarket';
import { useIsServed } from '../../../served/useIsServed';
import styles from './sections.module.css';

const EVERY = 30_000;

/** The rows that the server writes into the page (platform/server/src/http/market_pages.rs), until the first answer. */
const SERVED_ROWS = { __html: import.meta.env.SSR ? 'AGIO_SLOT_RATES' : '' };
const SERVED_ID = 'served';

interface LoadedRates {
  rates: FeaturedRate[];
  at: Date;
}

/** The rates, reloaded twice a minute while the page is visible. */
function useRates(): LoadedRates | null {
  const locale = useLocale();
  const [loaded, setLoaded] = useState<LoadedRates | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const show = (rates: FeaturedRate[]) => setLoaded({ rates, at: new Date() });
    const load = () => {
      if (document.visibilityState === 'hidden') return;
      call(locale, 'GET /calculator/rates/', { signal: stop.signal, quiet: true }).then(show, (error) => {
        if (!stop.signal.aborted) {
          console.error(error);
        }
      });
    };
    const served = servedMarket();
    if (served) startTransition(() => show(served.rates));
    else load();
    const timer = setInterval(load, EVERY);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [locale]);
  return loaded;
}

interface RatesProps {
  directions: Map<number, Direction> | null;
  /** The day of the rates, when it is not today. */
  ratesOf: string | null;
  isClosed: boolean;
}

/** Popular pairs with their rates and limits. */
export function Rates({ directions, ratesOf, isClosed }: RatesProps) {
  const t = useT('home');
  const locale = useLocale();
  const loaded = useRates();
  const isServed = useIsServed(SERVED_ID);
  const time = loaded ? clockText(loaded.at) : null;
  return (
    <section className={styles.section} aria-labelledby="rates">
      <div className={styles.head}>
        <h2 id="rates">{t('rates')}</h2>
        <span className="muted small num">
          {isClosed
            ? null
            : ratesOf
              ? t('rates_of', { day: numericDayText(ratesOf, locale) })
              : time
                ? t('updated', { time })
                : null}
        </span>
      </div>
      <table className={`rate-rows ${styles.rates}`}>
        <thead>
          <tr>
            <th scope="col">{t('rates_exchange')}</th>
            <th scope="col">{t('rates_unit')}</th>
            <th scope="col">{t('rates_limits')}</th>
            <th scope="col">{t('reserve')}</th>
          </tr>
        </thead>
        {isServed && !isClosed && !(loaded && directions) ? (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the server has written the rows, and React leaves them.
          <tbody key={SERVED_ID} id={SERVED_ID} dangerouslySetInnerHTML={SERVED_ROWS} suppressHydrationWarning />
        ) : (
          <tbody>
            {isClosed ? (
              <tr>
                <td colSpan={4} className="muted">
                  {t('rates_none')}
                </td>
              </tr>
            ) : (
              directions &&
              loaded?.rates.map((rate) => <Row key={`${rate.from} ${rate.to}`} rate={rate} directions={directions} />)
            )}
          </tbody>
        )}
      </table>
    </section>
  );
}

function Row({ rate, directions }: { rate: FeaturedRate; directions: Map<number, Direction> }) {
  const t = useT('home');
  const locale = useLocale();
  const paths = usePaths();
  const from = directions.get(rate.from);
  const to = directions.get(rate.to);
  if (!from || !to) return null;
  // The arrow stays on the line of the text it follows.
  const [into, ...rest] = shortName(to).split(' ');
  return (
    <tr>
      <td>
        <Link className={styles.pair} to={paths.home({ cur_from: from.code, cur_to: to.code })}>
          <span className={styles.coins}>
            <Coin of={from} size="small" />
            <Coin of={to} size="small" />
          </span>
          <b>
            {shortName(from)}{' '}
            <span className="nb">
              <span aria-hidden="true">→ </span>
              <span className="vh"> {t('to')} </span>
              {into}
            </span>{' '}
            {rest.join(' ')}
          </b>
        </Link>
      </td>
      <td className="nb">
        {rateText(rate.course, from.ticker, to.ticker, locale)}
        {rate.fees && <FeeNote fees={rate.fees} from={from} to={to} />}
      </td>
      <td className="nb muted">{limitsText(rate, from, locale)}</td>
      <td className="nb muted">{reserveText(rate.reserve, to.ticker, locale)}</td>
    </tr>
  );
}

/** Fixed fees come on top of the rate. */
function FeeNote({ fees, from, to }: { fees: FeaturedRate['fees']; from: Direction; to: Direction }) {
  const t = useT('home');
  const locale = useLocale();
  const texts = [[fees.from.fixed, from.ticker] as const, [fees.to.fixed, to.ticker] as const].flatMap(
    ([fee, ticker]) => (fee === '0' ? [] : moneyText(fee, ticker, locale)),
  );
  return texts.length > 0 ? <small className="muted">{t('rates_fee', { amount: texts.join(' + ') })}</small> : null;
}

function limitsText({ min, max }: FeaturedRate, from: Direction, locale: Locale): string {
  const text = (value: string) => amountText(significant(value, 7), locale);
  const range = min !== null && max !== null ? `${text(min)}–${text(max)}` : text(min ?? max ?? '0');
  return `${range}\u00a0${unitOf(from.ticker)}`;
}
