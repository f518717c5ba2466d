import type { Language } from '../i18n/language.ts';

/** The page of the operator's guide for each screen, by the first part of its path. */
export const GUIDE_PAGES: Record<string, string> = {
  '': 'overview',
  claims: 'claims',
  approvals: 'approvals',
  verifications: 'verification',
  referral: 'growth',
  customers: 'customers',
  reviews: 'customers',
  pairs: 'directions',
  reserves: 'reserves',
  turnover: 'records',
  requisites: 'payment-details',
  payments: 'payments',
  currencies: 'currencies',
  rates: 'rates',
  aggregators: 'growth',
  contests: 'growth',
  discounts: 'growth',
  partners: 'growth',
  pages: 'pages',
  news: 'pages',
  mail: 'emails',
  audit: 'records',
  plugins: 'settings',
  tech: 'technical-mode',
  brand: 'settings',
  settings: 'settings',
  staff: 'staff',
  security: 'sign-in',
};

/** Where the guide explains the screen at `pathname`; its first page if the screen has none. */
export function helpAddress(pathname: string, language: Language): string {
  const page = GUIDE_PAGES[pathname.split('/')[1] ?? ''] ?? 'index';
  return `/help/guide/${language}/operator/${page}.html`;
}
