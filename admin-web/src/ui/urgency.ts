/** How near a due time is: past it, within seven minutes, or calm. */
export type Urgency = 'late' | 'soon' | 'calm';

const SOON_MS = 7 * 60_000;

export const urgencyOf = (msLeft: number): Urgency => (msLeft < 0 ? 'late' : msLeft < SOON_MS ? 'soon' : 'calm');

export const RULER_BEFORE_MIN = 30;
export const RULER_AFTER_MIN = 60;

/**
 * Where a due time stands on the ruler, from 0 at the left edge to 1 at the right. What is older than the ruler waits
 * at its left edge; what lies further ahead is not on it.
 */
export function placeOnRuler(dueAt: number, now: number): number | null {
  const minutes = (dueAt - now) / 60_000;
  if (minutes > RULER_AFTER_MIN) return null;
  return Math.max(0, (minutes + RULER_BEFORE_MIN) / (RULER_BEFORE_MIN + RULER_AFTER_MIN));
}

/** Which storey each place takes when neighbours closer than `gap` are put on top of one another. */
export function stack(places: number[], gap: number): number[] {
  const topOf: number[] = [];
  return places.map((place) => {
    const free = topOf.findIndex((last) => place - last >= gap);
    const storey = free < 0 ? topOf.length : free;
    topOf[storey] = place;
    return storey;
  });
}
