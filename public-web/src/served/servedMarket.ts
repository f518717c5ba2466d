import type { Direction, FeaturedRate, Pair, PairOpening, Reserve, Settings } from '../api/types';

/** What the server writes into the home page (platform/server/src/http/market_pages.rs): the answers of the first calls. */
interface ServedMarket {
  directions: { directions: Direction[] };
  giveable: number[];
  receivable: number[];
  settings: Settings;
  pair: Pair;
  rates: FeaturedRate[];
  reserves: Reserve[];
  openings: PairOpening[];
}

const find = () => (typeof document === 'undefined' ? null : document.getElementById('market'));

let read: { from: HTMLElement; market: ServedMarket } | null = null;

/** The data of the page that the browser opened; null where it has none, or was left. */
export function servedMarket(): ServedMarket | null {
  const element = find();
  if (element === null) return null;
  if (read?.from !== element) {
    read = { from: element, market: JSON.parse(element.textContent) as ServedMarket };
  }
  return read.market;
}

/** The page was left: the next one needs newer data. */
export function dropServedMarket(): void {
  find()?.remove();
}
