import { AMOUNT_SCALE, toUnits } from './decimal';

/** The limits of an exchange; null where there is none. */
export interface Limits {
  from: { min: string | null; max: string | null };
  to: { min: string | null; max: string | null };
}

/**
 * Moves a given amount into its limits, with the limit it met: below the minimum it becomes the minimum, above the
 * maximum the maximum.
 */
export function clampGive(give: string, limits: Limits): { value: string; snapped: null | 'min' | 'max' } {
  const { min, max } = limits.from;
  const amount = toUnits(give, AMOUNT_SCALE);
  if (max !== null && amount > toUnits(max, AMOUNT_SCALE)) return { value: max, snapped: 'max' };
  if (min !== null && amount < toUnits(min, AMOUNT_SCALE)) return { value: min, snapped: 'min' };
  return { value: give, snapped: null };
}
