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
  contests: ['contests'],
  contestEntries: (id: string) => ['contests', 'entries', id],
  monitors: ['monitors'],
  monitorDirections: (from: number) => ['monitors', 'directions', from],
  settings: ['settings'],
  tech: ['tech'],
  rates: ['rates'],
  referral: ['referral'],
  approvals: ['approvals'],
  audit: ['audit'],
  mail: ['mail'],
  content: ['content'],
  discounts: ['discounts'],
  promos: ['promos'],
  promo: (code: string) => ['promo', code],
  discountCustomers: (email: string) => ['discountCustomers', email],
  customers: ['customers'],
} as const;

export const useDashboard = () => useQuery({ queryKey: KEYS.dashboard, queryFn: api.dashboard });
