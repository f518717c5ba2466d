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

// One import for all of them: the first load of the site names it once.
const pages = () => import('./pages');

const page = (path: string, name: keyof Awaited<ReturnType<typeof pages>>, hidden = true): Page =>
  accountPage(path, async () => ({ Component: (await pages())[name] }), hidden);

/** The pages of whoever is signed in; their texts and code come together. */
export const accountPages: Page[] = [
  page('account', 'overview'),
  page('account/orders', 'orders'),
  page('account/referrer', 'referrer'),
  page('account/settings', 'settings'),
  // For few: it comes by itself, with texts of its own.
  {
    path: 'account/partner',
    feature: 'partner',
    also: 'account',
    html: 'page',
    hidden: true,
    source: 'src/features/account/partner/PartnerPage.tsx',
    load: () => import('./partner/PartnerPage'),
  },
  // What anybody may find: the table of discounts, with the customer's own place in it.
  page('discounts', 'discounts', false),
];
