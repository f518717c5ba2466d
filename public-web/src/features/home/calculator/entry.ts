import type { Pair } from '../../../api/types';
import { writeAmount } from '../../../components/amounts';
import { clampSend, receiveFor, sendFor, type Terms } from '../../../engine';
import type { Locale } from '../../../i18n/locale';
import { cutDecimals, type Reading, readAmount, type Unreadable } from './reading';

export type Side = 'from' | 'to';

/** What the customer typed and where. */
export interface Entry {
  side: Side;
  text: string;
  /** False while the amount is the page's own suggestion. */
  touched: boolean;
  /** Still being typed, and shown as it is; later the amount that comes of it is shown. */
  isOpen: boolean;
}

/** What became of an entry when its field was left: a limit took its place, decimals were cut, or it is no amount. */
export interface Remark {
  side: Side;
  kind: 'min' | 'max' | 'cut' | Unreadable;
  /** What was typed. */
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

/** Whether an entry was not taken for an amount, and stands as it was typed. */
export function isRefused(remark: Remark | null): boolean {
  return remark !== null && !/^(?:min|max|cut)$/.test(remark.kind);
}

const readEntry = ({ side, text }: Entry, pair: Pair, locale: Locale): Reading =>
  readAmount(text, pair.structure[side].currency, pair[side].roundCalculator, locale);

/** The amounts an entry means. On the receive side the least sum to send is found through the rate. */
export function amountsOf(entry: Entry, pair: Pair, locale: Locale): Amounts {
  const read = readEntry(entry, pair, locale);
  if ('problem' in read) {
    return { send: null, receive: null };
  }
  const terms = termsOf(pair);
  const send = entry.side === 'from' ? read.value : sendFor(read.value, terms);
  return { send, receive: send === null ? null : receiveFor(send, terms) };
}

/**
 * Brings an entry into the limits and writes it the way the language does; done when the customer leaves the
 * field, submits, or changes the pair, never while they type. What is no amount stays as it is, with the reason.
 */
export function settle(entry: Entry, pair: Pair, locale: Locale): { entry: Entry; remark: Remark | null } {
  const remark = (kind: Remark['kind']) => ({ side: entry.side, kind, was: entry.text.trim() });
  const read: Reading = entry.text.trim() === '' ? { value: '0', isCut: false } : readEntry(entry, pair, locale);
  const limited = (value: string) => ({
    ...entry,
    side: 'from' as const,
    text: writeAmount(value, locale),
    isOpen: false,
  });
  const { max } = pair.from;
  if ('problem' in read) {
    const isBeyond = read.problem === 'huge' && max !== null;
    return isBeyond ? { entry: limited(max), remark: remark('max') } : { entry, remark: remark(read.problem) };
  }
  const send = entry.side === 'from' ? read.value : sendFor(read.value, termsOf(pair));
  if (send === null) {
    return max === null ? { entry, remark: remark('huge') } : { entry: limited(max), remark: remark('max') };
  }
  const { value, snapped } = clampSend(send, { from: pair.from, to: pair.to });
  if (snapped !== null) {
    return { entry: limited(value), remark: remark(snapped) };
  }
  const text = writeAmount(read.value, locale);
  return { entry: { ...entry, text, isOpen: false }, remark: read.isCut ? remark('cut') : null };
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
