import type { Pair } from '../api/types';
import { usePart } from '../session/usePart';
import { hasConditions } from './pairConditions';

const loadList = async () => (await import('./ConditionList')).ConditionList;

/** What a pair demands or leaves open; loaded only where there is anything. */
export function Conditions({ pair }: { pair: Pair | null }) {
  const isWanted = pair !== null && hasConditions(pair);
  const List = usePart(isWanted, loadList, undefined, 'quote');
  return isWanted && List ? <List pair={pair} /> : null;
}
