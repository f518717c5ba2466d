import type { Page } from '../../page';

// One import for all of them: the first load of the site names it once.
const pages = () => import('./pages');

const page = (path: string, name: keyof Awaited<ReturnType<typeof pages>>): Page => ({
  path,
  feature: 'account',
  html: 'page',
  hidden: true,
  source: 'accounts',
  load: async () => ({ Component: (await pages())[name] }),
});

/** The pages of the account. They hold nothing of anybody until it is known who looks at them. */
export const accountPages: Page[] = [
  page('account', 'overview'),
  page('account/orders', 'orders'),
  page('account/referrer', 'referrer'),
  page('account/settings', 'settings'),
];
