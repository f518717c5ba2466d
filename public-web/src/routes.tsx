import type { RouteObject } from 'react-router';
import { again } from './again';
import { NotFoundPage, RouteError } from './features/error/ErrorPage';
import { NoConnectionPage } from './features/error/NoConnectionPage';
import type { Locale } from './i18n/locale';
import { loadTexts, type Texts } from './i18n/texts';
import { PAGES } from './pages';
import { Root } from './Root';

/** Rendered only where nothing was prerendered: those pages are empty. */
function Nothing() {
  return null;
}

/** The routes of one language; its pages share the loaded texts. */
function localeRoutes(locale: Locale, texts: Texts, isOpening: boolean): RouteObject {
  const pages = PAGES.map(
    (page): RouteObject => ({
      ...(page.path === '' ? { index: true } : { path: page.path }),
      lazy: async () => {
        const [module] = await Promise.all([
          again(page.load),
          loadTexts(texts, page.feature),
          page.also && loadTexts(texts, page.also),
          import.meta.env.SSR && page.prerendered && loadTexts(texts, page.prerendered),
        ]);
        return module;
      },
    }),
  );
  return {
    path: locale === 'en' ? '/en' : '/',
    element: <Root locale={locale} texts={texts} isOpening={isOpening} />,
    HydrateFallback: Nothing,
    children: [
      {
        errorElement: <RouteError />,
        children: [
          ...pages,
          // Prerendered for any address (main.tsx).
          ...(import.meta.env.SSR ? [{ path: 'offline', element: <NoConnectionPage /> }] : []),
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  };
}

/** The routes of the page's language. Changing the language loads a new page, so the other routes are never needed. */
export function routesFor(locale: Locale, texts: Texts, isOpening: boolean): RouteObject[] {
  return [localeRoutes(locale, texts, isOpening)];
}
