const SECOND = 1000;
const MINUTE = 60 * SECOND;

export type Urgency = 'calm' | 'soon' | 'over';

export interface Remaining {
  /** Milliseconds left, never negative. */
  left: number;
  urgency: Urgency;
  /** Share of the window already gone, 0 to 1. */
  spent: number;
}

/** How much of a window that ends at `deadline` is left; `windowMinutes` is its whole length. */
export function remaining(deadline: string, windowMinutes: number, now: number): Remaining {
  const left = Math.max(0, Date.parse(deadline) - now);
  const whole = Math.max(windowMinutes * MINUTE, SECOND);
  const spent = Math.min(1, Math.max(0, 1 - left / whole));
  return { left, spent, urgency: urgencyOf(left) };
}

function urgencyOf(left: number): Urgency {
  if (left === 0) return 'over';
  return left <= 3 * MINUTE ? 'soon' : 'calm';
}

/** Milliseconds until the shown second changes. */
export function untilNextTick(left: number): number {
  return left % SECOND || SECOND;
}

/** Whole minutes between two moments, at least one: "took 27 minutes". */
export function minutesBetween(start: string, end: string): number {
  return Math.max(1, Math.round((Date.parse(end) - Date.parse(start)) / MINUTE));
}

/** Whether a moment lies on another day of the customer's calendar, so that the day must be named. */
export function isAnotherDay(moment: string, now: number): boolean {
  return new Date(moment).toDateString() !== new Date(now).toDateString();
}
