import type { Page } from '../../page';

/** Getting back into an account. */
export const recoverPages: Page[] = [
  {
    path: 'recover',
    feature: 'account',
    html: 'page',
    hidden: true,
    source: 'accounts',
    load: () => import('./RecoverPage'),
  },
];
