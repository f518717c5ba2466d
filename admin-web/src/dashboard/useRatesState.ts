import { useCanAccess } from 'react-admin';
import { useGet, useList } from '../api/index.ts';

/** What directions are priced by: rates of a fixed day, of sources that answer, of some of them, or by hand alone. */
export type RatesState = 'fixed' | 'live' | 'partly' | 'silent' | 'none';

/** Null to staff who may not read it, and until it is known. */
export function useRatesState(): { state: RatesState; day: string | null } | null {
  const { canAccess: enabled = false } = useCanAccess({ resource: 'rates', action: 'read' });
  const { data } = useGet('/rates', { enabled });
  const sources = useList('/rates/sources', { enabled });
  if (!data || sources.isPending || sources.error) return null;
  if (data.day) return { state: 'fixed', day: data.day };
  const asked = sources.rows.filter((source) => source.enabled);
  const answering = asked.filter((source) => source.live).length;
  const isAnyFresh = answering > 0 || data.sources.some((source) => source.fresh);
  const state = isAnyFresh ? (answering < asked.length ? 'partly' : 'live') : asked.length > 0 ? 'silent' : 'none';
  return { state, day: null };
}
