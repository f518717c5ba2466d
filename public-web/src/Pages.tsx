import { createElement, type ReactElement, useEffect, useState } from 'react';
import {
  matchRoutes,
  type RouteObject,
  UNSAFE_LocationContext as ShownLocation,
  UNSAFE_RouteContext as ShownRoute,
  useLocation,
  useNavigationType,
} from 'react-router';
import { whileLoading } from './api/activity';
import type { Texts } from './i18n/texts';
import { isLoaded, loadPage, pageAt } from './routes';

/**
 * The page of the address. The former one stays until the next one is loaded. It provides the contexts of the router
 * itself, as `useRoutes` includes what only pages with loaders of the router need, two kilobytes of the first load.
 */
export function Pages({ routes, texts }: { routes: RouteObject[]; texts: Texts }) {
  const location = useLocation();
  const [shown, setShown] = useState(location);
  const page = pageAt(routes, location);
  const isReady = page === undefined || isLoaded(page);
  if (isReady && shown !== location) setShown(location);
  useEffect(() => {
    if (page === undefined || isReady) return;
    let current = true;
    const show = () => current && setShown(location);
    whileLoading(loadPage(page, texts)).then(show, show);
    return () => {
      current = false;
    };
  }, [page, isReady, location, texts]);
  const matches = matchRoutes(routes, shown) ?? [];
  const element = matches.reduceRight<ReactElement | null>((outlet, { route }, depth) => {
    const context = { outlet, matches: matches.slice(0, depth + 1), isDataRoute: false };
    return createElement(ShownRoute, { value: context }, route.element);
  }, null);
  return <ShownLocation value={{ location: shown, navigationType: useNavigationType() }}>{element}</ShownLocation>;
}
