import type { Staff } from '@agio/client/admin';

export type Action = 'read' | 'edit';

/** The permission that opens each room of the console, and the one that changes things in it. */
const NEEDED: Record<string, Record<Action, string>> = {
  dashboard: { read: 'desk.read', edit: 'desk.read' },
  claims: { read: 'claims.read', edit: 'claims.process' },
  verifications: { read: 'verification.read', edit: 'claims.verify' },
  content: { read: 'content.read', edit: 'content.change' },
  pairs: { read: 'market.read', edit: 'market.edit' },
  currencies: { read: 'market.read', edit: 'market.edit' },
  reserves: { read: 'reserves.read', edit: 'reserves.move' },
  requisites: { read: 'requisites.read', edit: 'reserves.requisites' },
  rates: { read: 'rates.read', edit: 'rates.read' },
  contests: { read: 'contest.read', edit: 'contest.edit' },
  prizes: { read: 'contest.read', edit: 'contest.pay' },
  monitors: { read: 'monitors.read', edit: 'monitors.edit' },
  discounts: { read: 'discounts.read', edit: 'discounts.edit' },
  settings: { read: 'settings.read', edit: 'settings.edit' },
  referral: { read: 'referral.read', edit: 'referral.pay' },
  referralReview: { read: 'referral.read', edit: 'referral.review' },
  referralTerms: { read: 'referral.read', edit: 'referral.terms' },
  approvals: { read: 'approvals.read', edit: 'approvals.read' },
  audit: { read: 'audit.read', edit: 'audit.read' },
  mail: { read: 'mail.read', edit: 'mail.resend' },
  partners: { read: 'partners.read', edit: 'partners.manage' },
  tech: { read: 'settings.read', edit: 'settings.edit' },
  customers: { read: 'customers.read', edit: 'customers.ban' },
  staff: { read: 'staff.read', edit: 'staff.manage' },
};

/** Whether this person may open a room or change things in it. The server decides in the end: this only hides. */
export function may(user: Staff | null, resource: string, action: Action): boolean {
  const needed = NEEDED[resource]?.[action];
  return needed !== undefined && (user?.permissions.includes(needed) ?? false);
}
