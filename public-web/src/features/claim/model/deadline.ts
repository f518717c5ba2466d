const SECOND = 1000;
const MINUTE = 60 * SECOND;

export type Urgency = 'calm' | 'soon' | 'over';

export interface Remaining {
  /** Milliseconds, never negative. */
  left: number;
  urgency: Urgency;
  /** The elapsed share of the window, 0 to 1. */
  spent: number;
}

/** The rest of a window that ends at `deadline` and is `windowMinutes` long. */
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

/** Whole minutes between two times, at least one: "took 27 minutes". */
export function minutesBetween(start: string, end: string): number {
  return Math.max(1, Math.round((Date.parse(end) - Date.parse(start)) / MINUTE));
}

/** Whether a time is on another day for the customer, so that the day is shown. */
export function isAnotherDay(moment: string, now: number): boolean {
  return new Date(moment).toDateString() !== new Date(now).toDateString();
}
