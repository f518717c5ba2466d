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
  plugins: ['plugins'],
  pluginLog: (name: string) => ['plugins', 'log', name],
  monitors: ['monitors'],
  monitorDirections: (from: number) => ['monitors', 'directions', from],
  payments: ['payments'],
  paymentAttempts: ['payments', 'attempts'],
  paymentMovements: ['payments', 'movements'],
  settings: ['settings'],
  quoteKeys: ['quoteKeys'],
  tech: ['tech'],
  rates: ['rates'],
  rateSources: ['rates', 'sources'],
  rateStops: ['rates', 'stops'],
  ratePair: (id: number) => ['rates', 'pair', id],
  rateHistory: (id: number, days: number) => ['rates', 'history', id, days],
  referral: ['referral'],
  approvals: ['approvals'],
  audit: ['audit'],
  mail: ['mail'],
  notices: ['notices'],
  content: ['content'],
  discounts: ['discounts'],
  promos: ['promos'],
  promo: (code: string) => ['promo', code],
  discountCustomers: (email: string) => ['discountCustomers', email],
  customers: ['customers'],
} as const;

export const useDashboard = () => useQuery({ queryKey: KEYS.dashboard, queryFn: api.dashboard });
