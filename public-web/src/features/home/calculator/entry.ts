import { amountText } from '@agio/client/format';
import type { Pair } from '../../../api/types';
import { clampGive, giveFor, receiveFor, snap, type Terms } from '../../../engine';
import type { Locale } from '../../../i18n/locale';
import { cutDecimals, type Reading, readAmount, type Unreadable } from './reading';

export type Side = 'from' | 'to';

export interface Entry {
  side: Side;
  text: string;
  /** False while the amount is a suggestion. */
  touched: boolean;
  /** Still being typed and shown unchanged; later the resulting amount is shown. */
  isOpen: boolean;
}

/**
 * What happened to an entry when its field was left: a limit or a step replaced it, decimals were cut, or it is no
 * amount.
 */
export interface Remark {
  side: Side;
  kind: 'min' | 'max' | 'step' | 'cut' | Unreadable;
  /** The side whose step it is. */
  step?: Side;
  /** The typed text. */
  was: string;
}

/** Plain decimals; null where the entry is no amount. */
export interface Amounts {
  give: string | null;
  receive: string | null;
}

export function termsOf(pair: Pair): Terms {
  return {
    rate: pair.course,
    tiers: pair.tiers.map(({ min, course }) => ({ min, rate: course })),
    feeFrom: pair.fees.from.fixed,
    feeTo: pair.fees.to.fixed,
    digitsFrom: pair.from.roundCalculator,
    digitsTo: pair.to.roundCalculator,
    stepFrom: pair.from.step,
    stepTo: pair.to.step,
  };
}

/** Whether an entry is no amount and stays as typed. */
export function isRefused(remark: Remark | null): boolean {
  return remark !== null && !/^(?:min|max|step|cut)$/.test(remark.kind);
}

const readEntry = ({ side, text }: Entry, pair: Pair, locale: Locale): Reading =>
  readAmount(text, pair.structure[side].currency, pair[side].roundCalculator, locale);

/** The amounts of an entry. A received amount gives the least amount to give. */
export function amountsOf(entry: Entry, pair: Pair, locale: Locale): Amounts {
  const read = readEntry(entry, pair, locale);
  if ('problem' in read) return { give: null, receive: null };
  const terms = termsOf(pair);
  const give = entry.side === 'from' ? read.value : giveFor(read.value, terms);
  return { give, receive: give === null ? null : receiveFor(give, terms) };
}

/**
 * Moves an entry into the limits and formats it; done when the customer leaves the field, submits, or changes the pair,
 * never while typing. What is no amount stays, with the reason.
 */
export function settle(entry: Entry, pair: Pair, locale: Locale): { entry: Entry; remark: Remark | null } {
  const remark = (kind: Remark['kind']) => ({ side: entry.side, kind, was: entry.text.trim() });
  const read: Reading = entry.text.trim() === '' ? { value: '0', isCut: false } : readEntry(entry, pair, locale);
  const limited = (value: string) => ({
    ...entry,
    side: 'from' as const,
    text: amountText(value, locale),
    isOpen: false,
  });
  const { max } = pair.from;
  if ('problem' in read) {
    const isBeyond = read.problem === 'huge' && max !== null;
    return isBeyond ? { entry: limited(max), remark: remark('max') } : { entry, remark: remark(read.problem) };
  }
  const terms = termsOf(pair);
  const { give, snapped } = snap(entry.side, read.value, terms, pair);
  if (give === null) {
    return max === null ? { entry, remark: remark('huge') } : { entry: limited(max), remark: remark('max') };
  }
  if (snapped === 'min' || snapped === 'max') return { entry: limited(give), remark: remark(snapped) };
  if (snapped !== null) {
    const step = snapped === 'stepTo' ? 'to' : 'from';
    const receive = receiveFor(give, terms);
    // A received amount in steps stays when the rate changes, and with it the least amount to give for it.
    const stays = step === 'to' && giveFor(receive, terms) === give;
    const stepped = { ...limited(stays ? receive : give), side: stays ? ('to' as const) : ('from' as const) };
    return { entry: stepped, remark: { ...remark('step'), step } };
  }
  const text = amountText(read.value, locale);
  return { entry: { ...entry, text, isOpen: false }, remark: read.isCut ? remark('cut') : null };
}

/** The suggested amount: round, well above the minimum, within the maximum. */
export function suggestedAmount({ min, max, roundCalculator }: Pair['from']): string {
  const least = min ?? '0';
  if (!/[1-9]/.test(least)) return '1';
  const power = least.startsWith('0.')
    ? -(/^0\.(0*)/.exec(least)?.[1]?.length ?? 0) - 1
    : (least.split('.')[0]?.length ?? 1) - 1;
  const round = power >= 0 ? `2${'0'.repeat(power + 1)}` : power === -1 ? '2' : `0.${'0'.repeat(-power - 2)}2`;
  return clampGive(cutDecimals(round, roundCalculator), { from: { min, max } }).value;
}
