import type { RouteObject } from 'react-router';
import { accountPages } from './features/account/routes';
import { claimPages } from './features/claim/routes';
import { contestPages } from './features/contest/routes';
import { NotFoundPage, RouteError } from './features/error/ErrorPage';
import { infoPages } from './features/info/routes';
import { recoverPages } from './features/recover/routes';
import { LOCALES, type Locale } from './i18n/locale';
import { loadTexts, type Texts } from './i18n/texts';
import type { Page } from './page';
import { inLocale } from './paths';
import { Root } from './Root';

/** Every page of the site. The build prerenders from this list too. */
export const PAGES: Page[] = [
  {
    path: '',
    feature: 'home',
    html: 'page',
    source: 'src/features/home/HomePage.tsx',
    load: () => import('./features/home/HomePage'),
  },
  {
    path: 'tech',
    feature: 'common',
    html: 'page',
    hidden: true,
    source: 'src/features/tech/TechPage.tsx',
    load: () => import('./features/tech/TechPage'),
  },
  ...claimPages,
  ...accountPages,
  ...recoverPages,
  ...infoPages,
  ...contestPages,
];

/** Drawn only where nothing was prerendered: the shells are empty anyway. */
function Nothing() {
  return null;
}

/** The routes of one language; the texts are loaded once and shared by its pages. */
function localeRoutes(locale: Locale, texts: Texts): RouteObject {
  const pages = PAGES.map(
    (page): RouteObject => ({
      ...(page.path === '' ? { index: true } : { path: page.path }),
      lazy: async () => {
        const [module] = await Promise.all([
          page.load(),
          loadTexts(texts, page.feature),
          page.also && loadTexts(texts, page.also),
        ]);
        return module;
      },
    }),
  );
  return {
    path: locale === 'en' ? '/en' : '/',
    element: <Root locale={locale} texts={texts} />,
    HydrateFallback: Nothing,
    children: [
      {
        errorElement: <RouteError />,
        children: [...pages, { path: '*', element: <NotFoundPage /> }],
      },
    ],
  };
}

/**
 * The routes of a page's own language. Changing the language loads a new page, so the other language's routes
 * are never needed beside them.
 */
export function routesFor(locale: Locale, texts: Texts): RouteObject[] {
  return [localeRoutes(locale, texts)];
}

/** What the build writes HTML for, in both languages, and the sources of each page. */
export function prerenderedPages(): { path: string; locale: Locale; hidden: boolean; sources: string[] }[] {
  const pages = PAGES.filter(({ html }) => html === 'page');
  return LOCALES.flatMap((locale) =>
    pages.map(({ path, feature, source, hidden = false }) => ({
      path: inLocale(`/${path}`, '', locale),
      locale,
      hidden,
      sources: [source ?? '', `src/i18n/${locale}/common.json`, `src/i18n/${locale}/${feature}.json`],
    })),
  );
}
