import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { again } from './again';
import { localeOf } from './i18n/locale';
import { createTexts } from './i18n/texts';
import { Pages } from './Pages';
import { DELIVERED } from './pages';
import { loadPage, pageAt, routesFor, setDelivered } from './routes';
import { trusted } from './trusted';
import './styles/index.css';

async function start(): Promise<void> {
  const texts = await again(() => createTexts(localeOf(window.location.pathname)), Number.POSITIVE_INFINITY);
  // The first render has to equal the prerendered HTML, of which there are two for the home page.
  const isOpening = document.querySelector('meta[name="opening"]') !== null;
  const routes = routesFor(texts.language, texts, isOpening);
  const delivered = DELIVERED[document.querySelector<HTMLMetaElement>('meta[name="delivered"]')?.content ?? ''];
  if (delivered) setDelivered(window.location.pathname, delivered);
  // The first page's code and texts are loaded before the first render, so that it equals the prerendered HTML.
  const page = pageAt(routes, window.location);
  if (page) await again(() => loadPage(page, texts), Number.POSITIVE_INFINITY);
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no root element');
  const app = (
    <StrictMode>
      <BrowserRouter>
        <Pages routes={routes} texts={texts} />
      </BrowserRouter>
    </StrictMode>
  );
  // In parts, between which the page answers its visitor.
  startTransition(() => {
    if (root.firstElementChild === null) createRoot(root).render(app);
    else hydrateRoot(root, app);
  });
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
