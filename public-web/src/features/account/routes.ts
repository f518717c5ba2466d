import type { Page } from '../../page';

/** The pages of the account. They hold nothing of anybody until it is known who looks at them. */
export const accountPages: Page[] = [
  {
    path: 'account',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'src/features/account/overview/OverviewPage.tsx',
    load: () => import('./overview/OverviewPage'),
  },
  {
    path: 'account/orders',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'src/features/account/orders/OrdersPage.tsx',
    load: () => import('./orders/OrdersPage'),
  },
  {
    path: 'account/settings',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'src/features/account/settings/SettingsPage.tsx',
    load: () => import('./settings/SettingsPage'),
  },
];
