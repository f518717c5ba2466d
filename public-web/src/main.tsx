import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, matchRoutes, RouterProvider } from 'react-router';
import { again } from './again';
import { NoConnectionPage } from './features/error/NoConnectionPage';
import { localeOf } from './i18n/locale';
import { createTexts } from './i18n/texts';
import { routesFor } from './routes';
import { trusted } from './trusted';
import './styles/index.css';

async function start(): Promise<void> {
  const texts = await again(() => createTexts(localeOf(window.location.pathname)), Number.POSITIVE_INFINITY);
  // The first render has to equal the prerendered HTML, of which there are two for the home page.
  const isOpening = document.querySelector('meta[name="opening"]') !== null;
  const routes = routesFor(texts.language, texts, isOpening);
  const matches = matchRoutes(routes, window.location) ?? [];
  // The service worker delivers this page at any address (worker.js).
  const isOffline = document.querySelector('meta[name="offline"]') !== null;
  if (isOffline) {
    // At its own address it would load itself for ever.
    const isDelivered = !window.location.pathname.endsWith('/offline.html');
    const element = <NoConnectionPage isDelivered={isDelivered} />;
    Object.assign(matches.at(-1)?.route ?? {}, { lazy: undefined, element });
  }
  // The first page's code and texts are loaded before the first render, so that it equals the prerendered HTML.
  await Promise.all(
    matches.map(async ({ route }) => {
      if (typeof route.lazy === 'function') {
        const load = route.lazy;
        Object.assign(route, await again(load, Number.POSITIVE_INFINITY), { lazy: undefined });
      }
    }),
  );
  const router = createBrowserRouter(routes);
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no root element');
  const app = (
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>
  );
  if (root.firstElementChild === null || isOffline) {
    createRoot(root).render(app);
  } else {
    hydrateRoot(root, app);
  }
}

// Few visitors use a referral link: the others load nothing for it.
if (location.search.includes('rid=')) {
  import('./referral/arrival');
}

// After everything the page needs. Addresses without TLS have none, nor has development.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  window.addEventListener('load', () => {
    navigator.serviceWorker.register(trusted.createScriptURL('/worker.js')).catch(console.error);
  });
}

start();
