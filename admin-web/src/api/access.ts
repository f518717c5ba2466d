import type { Schema } from '@agio/client/admin';

export type Action = 'read' | 'edit';

/** The permission to open each screen of the console, and the one to change things in it. */
export const PERMISSIONS: Record<string, Record<Action, string>> = {
  dashboard: { read: 'dashboard.read', edit: 'dashboard.read' },
  claims: { read: 'claims.read', edit: 'claims.process' },
  refunds: { read: 'claims.read', edit: 'claims.refund' },
  verifications: { read: 'verification.read', edit: 'claims.verify' },
  content: { read: 'content.read', edit: 'content.change' },
  news: { read: 'content.read', edit: 'content.change' },
  waitlist: { read: 'waitlist.read', edit: 'waitlist.read' },
  pairs: { read: 'market.read', edit: 'market.edit' },
  currencies: { read: 'market.read', edit: 'market.edit' },
  reserves: { read: 'reserves.read', edit: 'reserves.move' },
  turnover: { read: 'claims.read', edit: 'claims.read' },
  requisites: { read: 'requisites.read', edit: 'reserves.requisites' },
  rates: { read: 'rates.read', edit: 'rates.read' },
  rateRules: { read: 'rates.read', edit: 'rates.edit' },
  rateStops: { read: 'rates.read', edit: 'rates.release' },
  contests: { read: 'contest.read', edit: 'contest.edit' },
  prizes: { read: 'contest.read', edit: 'contest.pay' },
  aggregators: { read: 'aggregators.read', edit: 'aggregators.edit' },
  discounts: { read: 'discounts.read', edit: 'discounts.edit' },
  brand: { read: 'settings.read', edit: 'settings.edit' },
  settings: { read: 'settings.read', edit: 'settings.edit' },
  reviews: { read: 'reviews.read', edit: 'reviews.moderate' },
  referral: { read: 'referral.read', edit: 'referral.pay' },
  referralReview: { read: 'referral.read', edit: 'referral.review' },
  referralTerms: { read: 'referral.read', edit: 'referral.terms' },
  approvals: { read: 'approvals.read', edit: 'approvals.read' },
  audit: { read: 'audit.read', edit: 'audit.read' },
  notices: { read: 'notices.read', edit: 'notices.resend' },
  mail: { read: 'mail.read', edit: 'mail.resend' },
  payments: { read: 'payments.read', edit: 'payments.change' },
  paymentsSettle: { read: 'payments.read', edit: 'claims.payments' },
  plugins: { read: 'plugins.read', edit: 'plugins.edit' },
  partners: { read: 'partners.read', edit: 'partners.manage' },
  partnerPayouts: { read: 'partners.read', edit: 'partners.pay' },
  tech: { read: 'settings.read', edit: 'settings.edit' },
  customers: { read: 'customers.read', edit: 'customers.ban' },
  staff: { read: 'staff.read', edit: 'staff.manage' },
};

/** Whether a staff member may open a screen or change things in it. The server decides in the end: this only hides. */
export function may(user: Schema<'StaffProfileView'> | null, resource: string, action: Action): boolean {
  const needed = PERMISSIONS[resource]?.[action];
  return needed !== undefined && (user?.permissions.includes(needed) ?? false);
}
