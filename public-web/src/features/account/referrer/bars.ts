import type { ReferralDay } from '../../../api/types';

/** In units of the drawing. */
export interface Bar {
  x: number;
  height: number;
  width: number;
}

export const CHART = { width: 600, height: 120, gap: 2 };

/** The height of each day relative to the best one; a day with a commission is always visible. */
export function barsOf(days: ReferralDay[]): Bar[] {
  const best = Math.max(0, ...days.map(({ earned }) => Number(earned)));
  const step = CHART.width / Math.max(1, days.length);
  return days.map(({ earned }, index) => {
    const share = best > 0 ? Number(earned) / best : 0;
    return {
      x: index * step,
      width: Math.max(1, step - CHART.gap),
      height: share > 0 ? Math.max(2, share * CHART.height) : 0,
    };
  });
}
