import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

/** Names of what is kept of the server's answers, so that a live notice can say which to read again. */
export const KEYS = {
  dashboard: ['dashboard'],
  claims: ['claims'],
  claim: (id: string) => ['claim', id],
  verifications: ['verifications'],
  verification: (id: string) => ['verification', id],
  movements: (currencyId: number) => ['movements', currencyId],
  settings: ['settings'],
  tech: ['tech'],
  rates: ['rates'],
  approvals: ['approvals'],
  audit: ['audit'],
  mail: ['mail'],
  customers: ['customers'],
} as const;

export const useDashboard = () => useQuery({ queryKey: KEYS.dashboard, queryFn: api.dashboard });
