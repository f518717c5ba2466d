import type { Bounds, Currency, Pair, PairPatch } from '@agio/client/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { amountText } from '../ui/format.ts';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { readableCourse } from './matrix.ts';
import css from './PairDrawer.module.css';

/** The server is asked once typing has paused. */
const PAUSE_MS = 350;

function usePaused<T>(value: T, key: string): T {
  const [paused, setPaused] = useState(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the value is another one.
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return paused;
}

/** What a visitor sees now and would see after saving, as the server reckons it. */
export function Preview({ pair, patch, from, to }: { pair: Pair; patch: PairPatch; from: Currency; to: Currency }) {
  const { t } = useWords();
  const asked = usePaused(patch, JSON.stringify(patch));
  const { data, error } = useQuery({
    queryKey: ['preview', pair.id, JSON.stringify(asked)],
    queryFn: ({ signal }) => api.previewPair(pair.id, asked, signal),
    placeholderData: keepPreviousData,
  });
  if (error) return <Refusal error={error} />;
  if (!data) return null;
  return (
    <section className={css.preview} aria-label={t('pairs.preview')}>
      <div>
        <h3>{t('pairs.before')}</h3>
        <Course course={data.before.course} from={from} to={to} />
      </div>
      <div className={css.after}>
        <h3>{t('pairs.after')}</h3>
        <Course course={data.course} from={from} to={to} />
        <Range bounds={data.from} label={t('claims.gives')} ticker={from.ticker} />
        <Range bounds={data.to} label={t('claims.gets')} ticker={to.ticker} />
      </div>
    </section>
  );
}

function Course({ course, from, to }: { course: string | null; from: Currency; to: Currency }) {
  const { t, language } = useWords();
  if (course === null) return <p>{t('pairs.noCourse')}</p>;
  const { text, inverted } = readableCourse(course);
  const [one, many] = inverted ? [to, from] : [from, to];
  return (
    <p>
      1&nbsp;{one.ticker} = <strong className="figures">{amountText(text, language)}</strong>&nbsp;{many.ticker}
    </p>
  );
}

function Range({ bounds, label, ticker }: { bounds: Bounds; label: string; ticker: string }) {
  const { language } = useWords();
  const shown = (value: string | null) => (value === null ? '…' : amountText(value, language));
  return (
    <p className={css.range}>
      {label}: {shown(bounds.min)} – {shown(bounds.max)} {ticker}
    </p>
  );
}
