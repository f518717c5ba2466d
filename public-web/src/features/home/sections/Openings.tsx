import { dateText, timeText } from '@agio/client/format';
import { startTransition, useEffect, useState } from 'react';
import { call } from '../../../api/client';
import type { Direction, PairOpening } from '../../../api/types';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { servedMarket } from '../../../served/servedMarket';
import styles from './sections.module.css';

const EVERY = 60_000;

/** More lines than these nobody reads. */
const SHOWN = 5;

/** The directions that their working hours close now, with the next opening. */
export function Openings({ directions }: { directions: Map<number, Direction> | null }) {
  const t = useT('home');
  const locale = useLocale();
  const [openings, setOpenings] = useState<PairOpening[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const load = () => {
      call(locale, 'GET /calculator/openings/', { signal: stop.signal, quiet: true }).then(setOpenings, (error) => {
        if (!stop.signal.aborted) console.error(error);
      });
    };
    const served = servedMarket();
    if (served) startTransition(() => setOpenings(served.openings));
    else load();
    const timer = setInterval(load, EVERY);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [locale]);
  const shown = openings.flatMap(({ from, to, opensAt }) => {
    const [give, receive] = [directions?.get(from), directions?.get(to)];
    return give && receive ? [{ give, receive, opensAt }] : [];
  });
  if (shown.length === 0) return null;
  const isToday = (at: string) => new Date(at).toDateString() === new Date().toDateString();
  const time = (at: string) =>
    isToday(at) ? timeText(at) : dateText(at, locale, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
  return (
    <section className={styles.openings} aria-label={t('openings')}>
      <h2>{t('openings')}</h2>
      <ul>
        {shown.slice(0, SHOWN).map(({ give, receive, opensAt }) => (
          <li key={`${give.id}-${receive.id}`}>
            {t('opens_at', { from: give.code, to: receive.code, time: time(opensAt) })}
          </li>
        ))}
      </ul>
    </section>
  );
}
