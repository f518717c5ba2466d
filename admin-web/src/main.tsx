import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import '@fontsource-variable/geologica/wght.css';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { App } from './App.tsx';
import { language, setLanguage } from './i18n/language.ts';
import './theme/base.css';
import './theme/tokens.css';
import { showRememberedTheme } from './theme/scheme.ts';

/** The server writes the nonce of this answer here: without it the browser would refuse MUI's style elements. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content;
const cache = createCache({ key: 'css', nonce, prepend: true });

setLanguage(language());
showRememberedTheme();

const router = createBrowserRouter([{ path: '*', element: <App /> }], { basename: '/admin' });

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <CacheProvider value={cache}>
      {/* As transitions, redirects starve: react-admin renders and redirects anew until the sign-in page is shown. */}
      <RouterProvider router={router} useTransitions={false} />
    </CacheProvider>,
  );
}
