import type { Page } from '../../page';

const page = (path: string, load: Page['load']): Page => ({
  path,
  feature: 'account',
  html: 'page',
  hidden: true,
  source: 'accounts',
  load,
});

/** The pages of the account. They hold nothing of anybody until it is known who looks at them. */
export const accountPages: Page[] = [
  page('account', () => import('./overview/OverviewPage')),
  page('account/orders', () => import('./orders/OrdersPage')),
  page('account/referrer', () => import('./referrer/ReferrerPage')),
  page('account/settings', () => import('./settings/SettingsPage')),
];
