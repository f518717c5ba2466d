import type { ComponentType } from 'react';
import { Component as NoConnectionPage } from './features/error/NoConnectionPage';
import { Component as HomePage } from './features/home/HomePage';
import type { Feature } from './i18n/texts';

export interface Page {
  /** Without a language prefix and a leading slash; '' is home. */
  path: string;
  feature: Feature;
  /** A second dictionary. */
  also?: Feature;
  /** A dictionary for what is prerendered and then left as it is. */
  prerendered?: Feature;
  /** Without navigation. */
  isBare?: boolean;
  load: () => Promise<{ Component: ComponentType }>;
}

// One import for all of them: the first load of the site names it once.
const accountScreens = () => import('./features/account/pages');

const accountPage = (path: string, name: keyof Awaited<ReturnType<typeof accountScreens>>, also?: Feature): Page => ({
  path,
  feature: 'account',
  also,
  load: async () => ({ Component: (await accountScreens())[name] }),
});

/** Delivered by the server at any address that it does not know. */
const MISSING: Page = { path: '*', feature: 'common', load: () => import('./features/error/ErrorPage') };

/** Delivered by the service worker at any address (worker.js), with what the first load has. */
export const OFFLINE: Page = {
  path: 'offline',
  feature: 'common',
  isBare: true,
  load: async () => ({ Component: NoConnectionPage }),
};

/** Every page of the site; `prerendered.ts` names those with HTML of their own. */
export const PAGES: Page[] = [
  // Part of the first load: most visitors open it, and one file is smaller than several.
  { path: '', feature: 'home', prerendered: 'questions', load: async () => ({ Component: HomePage }) },
  { path: 'rates', feature: 'rates', load: () => import('./features/rates/RatesPage') },
  { path: 'reviews/:page?', feature: 'reviews', load: () => import('./features/reviews/ReviewsPage') },
  { path: 'news/:part?', feature: 'common', load: () => import('./features/news/NewsPage') },
  { path: 'exchange/:slug/:city?', feature: 'home', load: () => import('./features/home/direction/DirectionPage') },
  { path: 'tech', feature: 'tech', isBare: true, load: () => import('./features/tech/TechPage') },
  { path: 'claim', feature: 'claim', also: 'push', load: () => import('./features/claim/pages/ClaimPage') },
  {
    path: 'claim/success',
    feature: 'claim',
    also: 'push',
    load: () => import('./features/claim/pages/ClaimSuccessPage'),
  },
  { path: 'claim/fail', feature: 'claim', also: 'push', load: () => import('./features/claim/pages/ClaimFailPage') },
  { path: 'claim/:id', feature: 'claim', also: 'push', load: () => import('./features/claim/pages/ClaimByIdPage') },
  { path: 'verify/:id', feature: 'claim', load: () => import('./features/claim/verify/VerifyPage') },
  { path: 'waitlist/:id', feature: 'waitlist', load: () => import('./features/waitlist/WaitlistPage') },
  accountPage('account', 'overview'),
  accountPage('account/orders', 'orders'),
  accountPage('account/referrer', 'referrer'),
  accountPage('account/settings', 'settings', 'push'),
  accountPage('discounts', 'discounts'),
  {
    path: 'account/partner',
    feature: 'partner',
    also: 'account',
    load: () => import('./features/account/partner/PartnerPage'),
  },
  { path: 'recover', feature: 'account', load: () => import('./features/recover/RecoverPage') },
  ...['rules', 'aml', 'faq', 'contacts', 'partners'].map(
    (path): Page => ({ path, feature: 'info', load: () => import('./features/info/InfoPage') }),
  ),
  { path: 'contest', feature: 'contest', load: () => import('./features/contest/ContestScreen') },
  MISSING,
];

/** The pages that are delivered at addresses of others, by their marks (scripts/build.mjs). */
export const DELIVERED: Record<string, Page> = { 404: MISSING, offline: OFFLINE };
