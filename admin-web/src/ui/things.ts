/** The screen of a subject that emails, approvals and the audit log name; null where there is none. */
export function pathOf(kind: string, id: string): string | null {
  switch (kind) {
    case 'claim':
      // The audit log names claims by their numbers, which the search finds them by.
      return /^\d+$/.test(id) ? `/claims?q=${id}` : `/claims/${id}`;
    case 'claims':
      return `/claims?group=${id}`;
    case 'market':
      return '/pairs';
    case 'pair':
      return `/pairs?pair=${id}`;
    case 'reserve':
      return `/reserves?currency=${id}`;
    case 'currency':
      return '/currencies';
    case 'requisite':
      return '/requisites';
    case 'setting':
    case 'quote_key':
      return '/settings';
    case 'plugin':
      return '/plugins';
    case 'aggregator':
      return '/aggregators';
    case 'contest':
      // A prize is named by its contest and its place.
      return `/contests/${id.split('/')[0]}`;
    case 'discounts':
      return '/discounts';
    case 'promo':
      return '/discounts?tab=promos';
    case 'rate_source':
    case 'rates':
      return '/rates';
    case 'approval':
      return '/approvals';
    case 'referrer':
      return `/referral/${id}`;
    case 'referral_withdrawal':
      return '/referral?tab=withdrawals';
    case 'referral_commission':
      return '/referral?tab=commissions';
    case 'referral_plan':
      return '/referral?tab=plans';
    case 'staff':
    case 'staff_invitation':
      return '/staff';
    case 'payment':
    case 'payment_route':
      return '/payments';
    case 'partner':
      return `/partners/${id}`;
    case 'notice':
      return '/mail';
    case 'mail':
      return `/mail?id=${id}`;
    case 'content':
      return `/pages/${id}`;
    case 'news':
      return `/news/${id}`;
    case 'waitlist':
      return '/reserves?tab=waitlist';
    case 'contact_message':
      return '/pages?tab=messages';
    default:
      return null;
  }
}

/** An identifier as it is shown: the first group of a long one is enough to distinguish two. */
export const shortId = (id: string): string => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id) ? id.slice(0, 8) : id);
