import type { Pair } from '../api/types';
import { BRAND } from '../brand';

/** The label of the memo or tag that payments in the given currency's network may need; null where there is none. */
export function memoOf({ structure }: Pair): string | null {
  return structure.from.input.find(({ kind }) => kind === 'memo' || kind === 'tag')?.label ?? null;
}

/** Whether a pair demands or leaves open anything that a visitor has to know before typing, or nobody works now. */
export function hasConditions(pair: Pair): boolean {
  const { floating, verification, customerTerms, fees } = pair;
  return (
    Boolean(BRAND.closed) ||
    [floating, verification, customerTerms, fees.network, memoOf(pair)].some((one) => one !== null)
  );
}
