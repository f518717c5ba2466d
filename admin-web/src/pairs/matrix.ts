import type { Currency, CurrencyKind, Pair } from '@agio/client/admin';
import { compare, inverse, significant } from '../ui/decimal.ts';

export type Filter = 'all' | CurrencyKind | 'trouble';

const TROUBLES = ['stopped', 'stale', 'no_rate', 'no_reserve'];
export const isTrouble = (pair: Pair): boolean => TROUBLES.includes(pair.state);

/** Why pairs stand still, by pair: a cause of its own has words of its own. */
export type Causes = ReadonlyMap<number, string>;
export const wordOf = (pair: Pair, causes: Causes): string =>
  causes.get(pair.id) === 'arbitrage' && isTrouble(pair) ? 'arbitrage' : pair.state;

/** Pairs by what is given and what is got. */
export function byLegs(pairs: Pair[]): Map<string, Pair> {
  return new Map(pairs.map((pair) => [`${pair.fromId}-${pair.toId}`, pair]));
}

/** How many pairs there are in each state, for the line under the heading. */
export function countStates(pairs: Pair[]): { ok: number; trouble: number; off: number } {
  const off = pairs.filter((pair) => pair.state === 'off').length;
  const trouble = pairs.filter(isTrouble).length;
  return { ok: pairs.length - off - trouble, trouble, off };
}

/** Currencies that have a pair left on one side after the filter, in the order customers see them. */
export function side(currencies: Currency[], pairs: Pair[], leg: 'fromId' | 'toId'): Currency[] {
  const used = new Set(pairs.map((pair) => pair[leg]));
  return currencies.filter((currency) => used.has(currency.id)).sort((a, b) => a.position - b.position);
}

/** The pairs a filter leaves: those with a leg of a kind, or those in trouble. */
export function filtered(pairs: Pair[], currencies: Currency[], filter: Filter): Pair[] {
  if (filter === 'all') return pairs;
  if (filter === 'trouble') return pairs.filter(isTrouble);
  const kinds = new Map(currencies.map((currency) => [currency.id, currency.kind]));
  return pairs.filter((pair) => kinds.get(pair.fromId) === filter || kinds.get(pair.toId) === filter);
}

/** How many digits of a course are read at a glance. */
export const DIGITS = 7;

/** A course as people say it: below one hundredth it is turned over, and `inverted` says so. */
export function readableCourse(course: string): { text: string; inverted: boolean } {
  const inverted = compare(course, '0') > 0 && compare(course, '0.01') < 0;
  return { text: inverted ? inverse(course, DIGITS) : significant(course, DIGITS), inverted };
}
