import { AMOUNT_SCALE, fromUnits, roundDown, toAmount, toUnits } from './decimal';
import { giveFor, giveGrid, receiveFor, type Terms } from './terms';

/** The limits of the given amount, which those of the received one follow; null where there is none. */
export interface Limits {
  from: { min: string | null; max: string | null };
}

/** Why an amount was replaced: a limit it met, or a step it is no multiple of. */
export type Snap = 'min' | 'max' | 'stepFrom' | 'stepTo';

/**
 * Moves a given amount into its limits, with the limit it met: below the minimum it becomes the minimum, above the
 * maximum the maximum.
 */
export function clampGive(give: string, { from }: Limits): { value: string; snapped: null | 'min' | 'max' } {
  return clamp(give, from);
}

/**
 * Rounds a given amount down to one that can be exchanged: a multiple of its step and, where the received amount has a
 * step, the least that brings as much. Below the minimum it becomes the minimum.
 */
export function snapGive(give: string, terms: Terms, limits: Limits): { value: string; snapped: null | Snap } {
  const limited = clampGive(give, limits);
  if (!terms.stepFrom && !terms.stepTo) return limited;
  const whole = fromUnits(roundDown(toAmount(limited.value), giveGrid(terms)));
  const least = terms.stepTo ? (giveFor(receiveFor(whole, terms), terms) ?? whole) : whole;
  const { value } = clampGive(least, limits);
  if (toAmount(value) === toAmount(give)) return { value: give, snapped: null };
  return { value, snapped: limited.snapped ?? (toAmount(whole) === toAmount(give) ? 'stepTo' : 'stepFrom') };
}

/**
 * The amount to give for an amount typed on either side, rounded down to one that can be exchanged, and what replaced the
 * typed one; null when no amount is enough.
 */
export function snap(
  side: 'from' | 'to',
  typed: string,
  terms: Terms,
  limits: Limits,
): { give: string | null; snapped: null | Snap } {
  const hasSteps = Boolean(terms.stepFrom || terms.stepTo);
  const wanted = side === 'from' ? typed : hasSteps ? giveWithin(typed, terms) : giveFor(typed, terms);
  if (wanted === null) return { give: null, snapped: null };
  const { value: give, snapped } = snapGive(wanted, terms, limits);
  const isStepped = side === 'to' && hasSteps && toAmount(receiveFor(give, terms)) !== toAmount(typed);
  if (snapped === 'min' || snapped === 'max' || side === 'from') return { give, snapped };
  return { give, snapped: isStepped ? (terms.stepTo ? 'stepTo' : 'stepFrom') : null };
}

/** The amount to give, in steps or last digits, by which no more is received; null when no amount is enough. */
export function giveWithin(most: string, terms: Terms): string | null {
  const enough = giveFor(most, terms);
  // The least sufficient amount may bring more.
  const isMore = enough !== null && toAmount(receiveFor(enough, terms)) > toAmount(most);
  return isMore ? fromUnits(toAmount(enough) - giveGrid(terms)) : enough;
}

function clamp(amount: string, { min, max }: Limits['from']): { value: string; snapped: null | 'min' | 'max' } {
  const units = toUnits(amount, AMOUNT_SCALE);
  if (max !== null && units > toUnits(max, AMOUNT_SCALE)) return { value: max, snapped: 'max' };
  if (min !== null && units < toUnits(min, AMOUNT_SCALE)) return { value: min, snapped: 'min' };
  return { value: amount, snapped: null };
}
