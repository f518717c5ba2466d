import type { Schema } from '@agio/client/admin';
import type { Language } from '../i18n/language.ts';
import { compare, inverse, significant } from '../ui/decimal.ts';
import { amountText } from '../ui/format.ts';

export type Pair = Schema<'PairView'>;
export type Currency = Schema<'CurrencyDetails'>;
export type Filter = 'all' | Schema<'CurrencyKind'> | 'trouble' | 'archived';

/** Whether a pair in this state should work and does not. */
const IS_TROUBLE: Record<Pair['state'], boolean> = {
  ok: false,
  off: false,
  stopped: true,
  stale: true,
  no_rate: true,
  no_reserve: true,
};
export const isTrouble = (pair: Pair): boolean => IS_TROUBLE[pair.state];

export type StateText = Pair['state'] | 'arbitrage' | 'archived';

/** Why pairs are suspended, by pair. A loop of exchanges that gains has a text of its own. */
export type Causes = ReadonlyMap<number, Schema<'SuspensionView'>['cause']>;
export function stateText(pair: Pair, causes: Causes): StateText {
  if (pair.archived) return 'archived';
  return causes.get(pair.id) === 'arbitrage' && isTrouble(pair) ? 'arbitrage' : pair.state;
}

/** Pairs by give and receive currency. */
export function byCurrencies(pairs: Pair[]): Map<string, Pair> {
  return new Map(pairs.map((pair) => [`${pair.giveId}-${pair.receiveId}`, pair]));
}

/** Pairs whose currencies are both among these. */
export function pairsBetween(pairs: Pair[], currencies: Currency[]): Pair[] {
  const ids = new Set(currencies.map(({ id }) => id));
  return pairs.filter(({ giveId, receiveId }) => ids.has(giveId) && ids.has(receiveId));
}

/** The number of pairs that work, are in trouble and are off. */
export function countStates(pairs: Pair[]): { ok: number; trouble: number; off: number } {
  const off = pairs.filter((pair) => pair.state === 'off').length;
  const trouble = pairs.filter(isTrouble).length;
  return { ok: pairs.length - off - trouble, trouble, off };
}

/** Currencies with a shown pair on one side, in the order customers see them. */
export function currenciesOn(currencies: Currency[], pairs: Pair[], side: 'giveId' | 'receiveId'): Currency[] {
  const used = new Set(pairs.map((pair) => pair[side]));
  return currencies.filter((currency) => used.has(currency.id)).sort((a, b) => a.position - b.position);
}

/** The pairs with a currency of a kind, or those in trouble; archived ones only where they are asked for. */
export function filtered(all: Pair[], currencies: Currency[], filter: Filter): Pair[] {
  const pairs = all.filter(({ archived }) => archived === (filter === 'archived'));
  if (filter === 'all' || filter === 'archived') return pairs;
  if (filter === 'trouble') return pairs.filter(isTrouble);
  const kinds = new Map(currencies.map((currency) => [currency.id, currency.kind]));
  return pairs.filter((pair) => kinds.get(pair.giveId) === filter || kinds.get(pair.receiveId) === filter);
}

/** The digits of a rate that are shown. */
export const DIGITS = 7;

/** A rate as people read it: one below 0.01 is inverted. */
export function readableRate(rate: string): { text: string; inverted: boolean } {
  const inverted = compare(rate, '0') > 0 && compare(rate, '0.01') < 0;
  return { text: inverted ? inverse(rate, DIGITS) : significant(rate, DIGITS), inverted };
}

/** The same in a line, inverted if `like` is, so that two rates can be compared; nothing without a rate. */
export function rateText(rate: string | null, language: Language, like: string | null = rate): string {
  if (rate === null) return '';
  const inverted = readableRate(like ?? rate).inverted && compare(rate, '0') > 0;
  const text = inverted ? inverse(rate, DIGITS) : significant(rate, DIGITS);
  return `${inverted ? '1/' : ''}${amountText(text, language)}`;
}
