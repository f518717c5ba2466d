import { compare, subtract } from '@agio/client/decimal';

/** What is missing of the expected amount; null when nothing is. */
export function shortfall(expected: string, received: string): string | null {
  return compare(expected, received) > 0 ? subtract(expected, received) : null;
}

/** "4e1f9c0a…b27d55c8": both ends of a hash are enough to compare by eye. */
export function shortHash(id: string): string {
  return id.length > 24 ? `${id.slice(0, 8)}…${id.slice(-8)}` : id;
}

/** How the second amount differs from the first; null when it does not. */
export function difference(first: string, second: string): { by: string; isLess: boolean } | null {
  const change = compare(second, first);
  if (change === 0) return null;
  return change < 0 ? { by: subtract(first, second), isLess: true } : { by: subtract(second, first), isLess: false };
}
