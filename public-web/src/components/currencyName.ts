import type { Currency } from '../api/types';

/** A coin by its ticker and network, a bank by its name. */
export function shortName(of: Currency): string {
  if (of.kind !== 'crypto') return of.name;
  return /^(usd|dai|eur)/i.test(of.ticker) ? `${of.ticker}\u00a0${of.network}` : of.ticker;
}

/**
 * The name and the network apart, as many names end with it: "Tether TRC20" in the network TRC20. Null for a bank or
 * wallet of the same name.
 */
export function networkOf({ name, network, kind }: Pick<Currency, 'name' | 'network' | 'kind'>): {
  name: string;
  network: string | null;
} {
  const isSame = network.toLowerCase() === name.toLowerCase();
  if (!network || isSame) return { name, network: null };
  const bare = name.endsWith(` ${network}`) ? name.slice(0, -network.length - 1) : name;
  return {
    name: kind === 'crypto' ? bare : name,
    network: kind !== 'crypto' && name.includes(network) ? null : network,
  };
}
