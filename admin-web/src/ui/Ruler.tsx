import type { Schema } from '@agio/client/admin';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useNow } from './clock.ts';
import { fuseText, timeText } from './format.ts';
import css from './Ruler.module.css';
import { TurnMark } from './Turn.tsx';
import { placeOnRuler, RULER_AFTER_MIN, RULER_BEFORE_MIN, stack } from './urgency.ts';
import { useTexts } from './useTexts.ts';

export type RulerMark = { id: string; name: string; dueAt: number; turn: Schema<'ClaimSummary'>['turn'] };

const SPAN = RULER_BEFORE_MIN + RULER_AFTER_MIN;
const LABELS = [-30, -15, 15, 30, 45, 60];
/** Labels of a narrow ruler. */
const SPARSE = [-30, 30, 60];
const TICKS = Array.from({ length: SPAN / 5 + 1 }, (_, tick) => (tick * 5) / SPAN);
const STOREYS = 4;

/** Every open claim as a mark on a line from half an hour ago to an hour ahead. Left of now is late. */
export function Ruler({ marks, selected, to }: { marks: RulerMark[]; selected?: string; to: (id: string) => string }) {
  const { t, language } = useTexts();
  const now = useNow();
  // Marks move by less than a pixel in fifteen seconds.
  const moment = Math.floor(now / 15_000) * 15_000;
  const placed = useMemo(() => place(marks, moment), [marks, moment]);
  return (
    <nav className={css.ruler} aria-label={t('ruler.label')}>
      <span className={css.past} />
      {TICKS.map((tick, index) => (
        <span key={tick} className={index % 3 === 0 ? css.long : css.tick} style={{ left: `${tick * 100}%` }} />
      ))}
      {LABELS.map((minutes) => (
        <span
          key={minutes}
          className={SPARSE.includes(minutes) ? css.label : css.dense}
          style={{ left: `${((minutes + RULER_BEFORE_MIN) / SPAN) * 100}%` }}
        >
          {t('ruler.minutes', { minutes: minutes > 0 ? `+${minutes}` : `\u2212${-minutes}` })}
        </span>
      ))}
      <span className={css.now} style={{ left: `${(RULER_BEFORE_MIN / SPAN) * 100}%` }}>
        <span className={css.nowTime}>{timeText(now)}</span>
      </span>
      {placed.map(({ mark, place, storey, turn, more }) => (
        <Link
          key={mark.id}
          className={mark.id === selected ? css.selected : css.mark}
          style={{ left: `${place * 100}%`, bottom: `${20 + storey * 12}px` }}
          to={to(mark.id)}
          title={[mark.name, fuseText(mark.dueAt - now, language), more > 0 && t('ruler.more', { smart_count: more })]
            .filter(Boolean)
            .join(' · ')}
          tabIndex={-1}
        >
          {more > 0 ? (
            <span className={turn === 'trouble' ? css.lateCount : css.count}>+{more + 1}</span>
          ) : (
            <TurnMark turn={turn} />
          )}
          <span className="visually-hidden">{mark.name}</span>
        </Link>
      ))}
    </nav>
  );
}

/** The marks in their storeys; the top one of a full column counts those without a place. */
function place(marks: RulerMark[], now: number) {
  const near = marks
    .map((mark) => ({ mark, place: placeOnRuler(mark.dueAt, now) }))
    .filter((found): found is { mark: RulerMark; place: number } => found.place !== null)
    .sort((a, b) => a.place - b.place);
  const storeys = stack(
    near.map(({ place }) => place),
    0.011,
  );
  const placed: { mark: RulerMark; place: number; storey: number; turn: RulerMark['turn']; more: number }[] = [];
  let top: (typeof placed)[number] | undefined;
  for (const [index, { mark, place }] of near.entries()) {
    const storey = storeys[index] ?? 0;
    if (storey >= STOREYS && top) {
      top.more += 1;
      continue;
    }
    const turn = mark.dueAt < now ? ('trouble' as const) : mark.turn;
    placed.push({ mark, place, storey, turn, more: 0 });
    if (storey === STOREYS - 1) top = placed.at(-1);
  }
  return placed;
}
