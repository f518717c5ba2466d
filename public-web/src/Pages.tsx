import { useEffect, useState } from 'react';
import { type RouteObject, useLocation, useRoutes } from 'react-router';
import { whileLoading } from './api/activity';
import type { Texts } from './i18n/texts';
import { isLoaded, loadPage, pageAt } from './routes';

/** The page of the address. The former one stays until the next one is loaded. */
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
  return useRoutes(routes, shown);
}
