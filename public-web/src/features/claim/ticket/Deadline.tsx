import { timeText } from '@agio/client/format';
import { useEffect, useReducer, useState } from 'react';
import { serverNow } from '../../../api/serverClock';
import { writeLeft } from '../../../components/Countdown';
import { type TextKey, useT } from '../../../i18n/texts';
import { type Remaining, remaining, untilNextTick } from '../model/deadline';

import css from './Deadline.module.css';

interface Props {
  until: string;
  minutes: number;
  /** The texts beside the clock, with the placeholder `time`. */
  texts: { left: TextKey<'claim'>; over: TextKey<'claim'> };
}

/** The time left by the server's clock, updated each second. */
function useRemaining(until: string, minutes: number): Remaining {
  const [now, setNow] = useState(() => serverNow());
  const state = remaining(until, minutes, now);
  const { left } = state;
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(serverNow()), untilNextTick(left));
    return () => clearTimeout(timer);
  }, [left]);
  return state;
}

/** A timer cannot be longer than some days, and the clocks may be corrected meanwhile. */
const LONGEST_WAIT = 60_000;

/** Whether a time has come, by the server's clock; never without one. */
export function useIsOver(until: string | null): boolean {
  const left = until === null ? Number.POSITIVE_INFINITY : Date.parse(until) - serverNow();
  const [looks, look] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time left is read anew at each look.
  useEffect(() => {
    if (until === null || left <= 0) return;
    const timer = setTimeout(look, Math.min(left, LONGEST_WAIT));
    return () => clearTimeout(timer);
  }, [until, looks]);
  return left <= 0;
}

export function Deadline({ until, minutes, texts }: Props) {
  const t = useT('claim');
  const time = timeText(until);
  const { left, urgency } = useRemaining(until, minutes);
  const text = writeLeft(left);
  return (
    <div className={css.clock} data-urgency={urgency}>
      <span className={css.text}>{t(urgency === 'over' ? texts.over : texts.left, { time })}</span>
      <span className={css.figures} role="timer" aria-label={t('pay.countdown', { time: text })}>
        {text}
      </span>
    </div>
  );
}

const WIDTH = 1000;

/** The same time as a ruler: a tick per minute, ink over what is left. */
export function DeadlineRuler({ until, minutes }: { until: string; minutes: number }) {
  const { spent, urgency } = useRemaining(until, minutes);
  const step = minutes > 60 ? Math.ceil(minutes / 60) : 1;
  const ticks = Array.from({ length: Math.floor(minutes / step) + 1 }, (_, index) => index * step);
  const x = Math.round(spent * WIDTH);
  return (
    <svg
      className={css.ruler}
      data-urgency={urgency}
      viewBox={`0 0 ${WIDTH} 14`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {ticks.map((minute) => {
        const at = (minute / minutes) * WIDTH;
        return (
          <path
            key={minute}
            className={at < x ? css.spent : css.tick}
            d={`M${at} 14V${minute % (5 * step) === 0 ? 4 : 9}`}
          />
        );
      })}
      <path className={css.rule} d={`M${x} 13.5H${WIDTH}`} />
      <path className={css.marker} d={`M${x} 0V14`} />
    </svg>
  );
}
