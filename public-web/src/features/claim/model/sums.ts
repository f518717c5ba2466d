import Big from 'big.js';

/** What is missing of `wanted` when only `got` has come; null when nothing is. */
export function shortfall(wanted: string, got: string): string | null {
  const missing = new Big(wanted).minus(got);
  return missing.gt(0) ? missing.toFixed() : null;
}

/** "4e1f9c0a…b27d55c8": both ends of a hash are enough to compare by eye. */
export function shortHash(id: string): string {
  return id.length > 24 ? `${id.slice(0, 8)}…${id.slice(-8)}` : id;
}

/** How the second amount differs from the first; null when it does not. */
export function difference(first: string, second: string): { by: string; isLess: boolean } | null {
  const change = new Big(second).minus(first);
  return change.eq(0) ? null : { by: change.abs().toFixed(), isLess: change.lt(0) };
}
