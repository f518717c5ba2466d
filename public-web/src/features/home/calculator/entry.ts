import type { Pair } from '../../../api/types';
import { writeAmount } from '../../../components/amounts';
import { clampSend, normalise, receiveFor, sendFor, type Terms } from '../../../engine';
import type { Locale } from '../../../i18n/locale';

export type Side = 'from' | 'to';

/** What the customer typed and where. */
export interface Entry {
  side: Side;
  text: string;
  /** False while the amount is the page's own suggestion. */
  touched: boolean;
}

/** An amount that met a limit: which, on which side, and what it was before. */
export interface Snap {
  side: Side;
  bound: 'min' | 'max';
  was: string;
}

/** Both amounts as plain decimals; null where what was typed is no amount. */
export interface Amounts {
  send: string | null;
  receive: string | null;
}

export function termsOf(pair: Pair): Terms {
  return {
    course: pair.course,
    tiers: pair.tiers,
    feeFrom: pair.fees.from.fixed,
    feeTo: pair.fees.to.fixed,
    digitsFrom: pair.from.roundCalculator,
    digitsTo: pair.to.roundCalculator,
  };
}

/** Leaves so many decimals, without rounding. */
export function cutDecimals(value: string, digits: number): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const kept = fraction.slice(0, digits).replace(/0+$/, '');
  return kept ? `${whole}.${kept}` : whole;
}

/** The amounts an entry means. On the receive side the least sum to send is found through the rate. */
export function amountsOf(entry: Entry, pair: Pair, locale: Locale): Amounts {
  const typed = normalise(entry.text, locale);
  if (typed === null) {
    return { send: null, receive: null };
  }
  const terms = termsOf(pair);
  const send = entry.side === 'from' ? cutDecimals(typed, terms.digitsFrom) : sendFor(typed, terms);
  return { send, receive: send === null ? null : receiveFor(send, terms) };
}

/**
 * Brings an entry into the limits and writes it the way the language does; done when the customer leaves the
 * field, submits, or changes the pair, never while they type.
 */
export function settle(entry: Entry, pair: Pair, locale: Locale): { entry: Entry; snap: Snap | null } {
  const { send } = amountsOf(entry, pair, locale);
  const limits = { from: pair.from, to: pair.to };
  const beyond = send === null && entry.side === 'to' && normalise(entry.text, locale) !== null;
  const { value, snapped } = clampSend(send ?? (beyond ? (pair.from.max ?? '0') : '0'), limits);
  const bound = snapped ?? (beyond ? 'max' : null);
  const settled: Entry = { side: 'from', text: writeAmount(value, locale), touched: entry.touched };
  return { entry: settled, snap: bound && { side: entry.side, bound, was: entry.text.trim() } };
}

/** An amount to begin with: round, well above the minimum, within the maximum. */
export function suggestedAmount({ min, max, roundCalculator }: Pair['from']): string {
  const least = min ?? '0';
  if (!/[1-9]/.test(least)) {
    return '1';
  }
  const power = least.startsWith('0.')
    ? -(/^0\.(0*)/.exec(least)?.[1]?.length ?? 0) - 1
    : (least.split('.')[0]?.length ?? 1) - 1;
  const round = power >= 0 ? `2${'0'.repeat(power + 1)}` : power === -1 ? '2' : `0.${'0'.repeat(-power - 2)}2`;
  const fits = clampSend(cutDecimals(round, roundCalculator), {
    from: { min, max },
    to: { min: null, max: null },
  });
  return fits.value;
}
