import type { Currency } from '../api/types';

/** A coin by its ticker and network, a bank by its name. */
export function shortName(of: Currency): string {
  if (of.kind !== 'crypto') return of.name;
  return /^(usd|dai|eur)/i.test(of.ticker) ? `${of.ticker}\u00a0${of.network}` : of.ticker;
}
