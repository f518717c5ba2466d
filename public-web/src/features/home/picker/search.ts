import type { Direction } from '../../../api/types';
import { isNear } from '../../../typo';

/** A currency with all texts to search. */
export interface Findable {
  direction: Direction;
  /** Its name in the other language. */
  otherName: string;
  /** What else people call it. */
  aliases?: string[] | undefined;
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
export function rank({ direction, otherName, aliases = [] }: Findable, typed: string): number | null {
  const wanted = plain(typed);
  if (wanted === '') return 0;
  const code = plain(direction.code);
  const ticker = plain(direction.ticker);
  const network = plain(direction.network);
  const names = [direction.name, otherName].map(plain);
  const others = aliases.map(plain);
  const words = `${direction.name} ${otherName}`.split(/[\s-]+/).map(plain);
  const steps = [
    ticker === wanted || code === wanted || others.includes(wanted),
    code.startsWith(wanted) || ticker.startsWith(wanted),
    [...names, ...others].some((name) => name.startsWith(wanted)),
    words.some((word) => word.startsWith(wanted)),
    network.startsWith(wanted),
    [code, ...names, ...others, network, ticker + network].some((text) => text.includes(wanted)),
  ];
  const found = steps.indexOf(true);
  return found < 0 ? null : found;
}

const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
const CYRILLIC = 'йцукенгшщзхъфывапролджэячсмитьбюё';

/** The same keys in the other keyboard layout: "сбер" for "c,th", "btc" for "иес". */
export function otherLayout(typed: string): string {
  return [...typed.toLowerCase()]
    .map((key) => CYRILLIC[LATIN.indexOf(key)] ?? LATIN[CYRILLIC.indexOf(key)] ?? key)
    .join('');
}

/** Shorter words differ by one letter from too many others. */
const SHORTEST_TYPO = 4;

function isTypo({ direction, otherName, aliases = [] }: Findable, typed: string): boolean {
  const wanted = plain(typed);
  const texts = [
    direction.code,
    direction.name,
    otherName,
    ...aliases,
    ...`${direction.name} ${otherName}`.split(/\s+/),
  ];
  return wanted.length >= SHORTEST_TYPO && texts.some((text) => isNear(plain(text), wanted));
}

/**
 * The matching currencies, the best first, otherwise in their order. Where nothing matches, the other keyboard layout
 * is tried, and then a typing error in either.
 */
export function find(all: Findable[], typed: string): Findable[] {
  const ranked = (text: string) =>
    all
      .map((one, order) => ({ one, order, rank: rank(one, text) }))
      .filter((found) => found.rank !== null)
      .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || a.order - b.order)
      .map(({ one }) => one);
  const near = (text: string) => all.filter((one) => isTypo(one, text));
  const other = otherLayout(typed);
  const attempts = [() => ranked(typed), () => ranked(other), () => near(typed), () => near(other)];
  for (const attempt of attempts) {
    const found = attempt();
    if (found.length > 0) return found;
  }
  return [];
}
