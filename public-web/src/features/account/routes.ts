import type { Page } from '../../page';

/** A page that speaks of accounts. */
export const accountPage = (path: string, load: Page['load'], hidden = true): Page => ({
  path,
  feature: 'account',
  html: 'page',
  hidden,
  source: 'accounts',
  load,
});

/** The pages of the account. They hold nothing of anybody until it is known who looks at them. */
export const accountPages: Page[] = [
  accountPage('account', () => import('./overview/OverviewPage')),
  accountPage('account/orders', () => import('./orders/OrdersPage')),
  accountPage('account/settings', () => import('./settings/SettingsPage')),
  // What anybody may find: the table of discounts, with the customer's own place in it.
  accountPage('discounts', () => import('./discounts/DiscountsPage'), false),
];
