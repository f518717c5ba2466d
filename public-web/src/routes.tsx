import type { ComponentType } from 'react';
import { matchRoutes, type RouteObject, useLocation } from 'react-router';
import { again } from './again';
import type { Locale } from './i18n/locale';
import { loadTexts, type Texts } from './i18n/texts';
import { OFFLINE, PAGES, type Page } from './pages';
import { Root } from './Root';

/** The code of the pages so far, or why it could not be loaded. */
const loaded = new Map<Page, { Component: ComponentType } | { error: unknown }>();

export function isLoaded(page: Page): boolean {
  const found = loaded.get(page);
  return found !== undefined && 'Component' in found;
}

/** Loads the code and the texts of a page. Throws what the page will throw as well. */
export async function loadPage(page: Page, texts: Texts): Promise<void> {
  try {
    const [module] = await Promise.all([
      again(page.load),
      loadTexts(texts, page.feature),
      page.also && loadTexts(texts, page.also),
      import.meta.env.SSR && page.prerendered && loadTexts(texts, page.prerendered),
    ]);
    loaded.set(page, module);
  } catch (error) {
    loaded.set(page, { error });
    throw error;
  }
}

/** Pages that were delivered at addresses of others. */
const delivered = new Map<string, Page>();

export function setDelivered(pathname: string, page: Page): void {
  delivered.set(pathname, page);
}

function LoadedPage({ page }: { page: Page }) {
  const { pathname } = useLocation();
  const found = loaded.get(delivered.get(pathname) ?? page);
  if (found === undefined || 'error' in found) throw found?.error;
  return <found.Component />;
}

/** The page of an address, if it is one that is loaded. */
export function pageAt(routes: RouteObject[], address: { pathname: string }): Page | undefined {
  return delivered.get(address.pathname) ?? (matchRoutes(routes, address)?.at(-1)?.route.handle as Page | undefined);
}

/** The routes of the page's language. Changing the language loads a new page, so the other routes are never needed. */
export function routesFor(locale: Locale, texts: Texts, isOpening: boolean): RouteObject[] {
  // Prerendered for any address (main.tsx).
  const pages = import.meta.env.SSR ? [...PAGES, OFFLINE] : PAGES;
  const isBare = (address: { pathname: string }) => pageAt(routes, address)?.isBare === true;
  const routes: RouteObject[] = [
    {
      path: locale === 'en' ? '/en' : '/',
      element: <Root locale={locale} texts={texts} isOpening={isOpening} isBare={isBare} />,
      children: pages.map((page) => ({
        ...(page.path === '' ? { index: true } : { path: page.path }),
        handle: page,
        element: <LoadedPage page={page} />,
      })),
    },
  ];
  return routes;
}
