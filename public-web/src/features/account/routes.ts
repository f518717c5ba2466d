import type { Page } from '../../page';

/** The pages of the account. They hold nothing of anybody until it is known who looks at them. */
export const accountPages: Page[] = [
  {
    path: 'account',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'accounts',
    load: () => import('./overview/OverviewPage'),
  },
  {
    path: 'account/orders',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'accounts',
    load: () => import('./orders/OrdersPage'),
  },
  {
    path: 'account/settings',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'accounts',
    load: () => import('./settings/SettingsPage'),
  },
  {
    path: 'discounts',
    feature: 'account',
    html: 'page',
    source: 'accounts',
    load: () => import('./discounts/DiscountsPage'),
  },
];
