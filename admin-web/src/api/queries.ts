import { useQuery } from '@tanstack/react-query';
import { useGet, useList } from './hooks.ts';

export const useDashboard = () => useGet('/dashboard');

export const useCurrencies = () => useList('/currencies').rows;

/** What keeps new claims from being stored, in the order of their causes. */
const OBSTACLES = ['database', 'writes', 'ledger'] as const;

/** Why claims are paused by a fault. Asks what balancers ask, which is known even while the database is away. */
export function usePauseReasons(): (typeof OBSTACLES)[number][] {
  const { data } = useQuery<{ checks: Record<string, boolean> }>({
    queryKey: ['/health/claims'],
    queryFn: async ({ signal }) => (await fetch('/health/claims', { signal })).json(),
    refetchInterval: 10_000,
  });
  return OBSTACLES.filter((check) => data?.checks?.[check] === false);
}
