import { AMOUNT_SCALE, toUnits } from './decimal';

/** Which amounts may be exchanged; null where nothing limits. */
export interface Limits {
  from: { min: string | null; max: string | null };
  to: { min: string | null; max: string | null };
}

/**
 * Moves a sent amount into its limits and says which of them it met: below the minimum it becomes
 * the minimum, above the maximum the maximum.
 */
export function clampSend(send: string, limits: Limits): { value: string; snapped: null | 'min' | 'max' } {
  const { min, max } = limits.from;
  const amount = toUnits(send, AMOUNT_SCALE);
  if (max !== null && amount > toUnits(max, AMOUNT_SCALE)) {
    return { value: max, snapped: 'max' };
  }
  if (min !== null && amount < toUnits(min, AMOUNT_SCALE)) {
    return { value: min, snapped: 'min' };
  }
  return { value: send, snapped: null };
}
