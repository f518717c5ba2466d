import type { Direction } from '../../../api/types';

/** A currency with all texts to search. */
export interface Findable {
  direction: Direction;
  /** Its name in the other language. */
  otherName: string;
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/ё/g, 'е')
    .replace(/[\s\u00a0\u2010-\u2015-]+/g, '');

/**
 * The rank of a currency for a search: smaller is better, null is no match. The beginning of a code or ticker goes
 * before the beginning of a name, and that before anything inside, so that "eth" finds ETH before Tether.
 */
export function rank({ direction, otherName }: Findable, typed: string): number | null {
  const wanted = plain(typed);
  if (wanted === '') return 0;
  const code = plain(direction.code);
  const ticker = plain(direction.ticker);
  const names = [plain(direction.name), plain(otherName)];
  const words = `${direction.name} ${otherName}`.split(/[\s-]+/).map(plain);
  const steps = [
    ticker === wanted || code === wanted,
    code.startsWith(wanted) || ticker.startsWith(wanted),
    names.some((name) => name.startsWith(wanted)),
    words.some((word) => word.startsWith(wanted)),
    plain(direction.network).startsWith(wanted),
    [code, ...names, plain(direction.network), plain(direction.ticker + direction.network)].some((text) =>
      text.includes(wanted),
    ),
  ];
  const found = steps.indexOf(true);
  return found < 0 ? null : found;
}

/** The matching currencies, the best first, otherwise in their order. */
export function find(all: Findable[], typed: string): Findable[] {
  return all
    .map((one, order) => ({ one, order, rank: rank(one, typed) }))
    .filter((found) => found.rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.order - b.order)
    .map(({ one }) => one);
}
