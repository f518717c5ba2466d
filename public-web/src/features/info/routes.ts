import type { Page } from '../../page';

/** Pages of the operator's words. */
export const infoPages: Page[] = ['rules', 'aml', 'faq', 'contacts', 'partners'].map((path) => ({
  path,
  feature: 'info',
  html: 'page',
  source: 'info',
  load: () => import('./InfoPage'),
}));
