import { prerender } from 'react-dom/static';
import { StaticRouter } from 'react-router';
import { localeOf } from './i18n/locale';
import { createTexts } from './i18n/texts';
import { Pages } from './Pages';
import { prerenderedPages } from './prerendered';
import { loadPage, pageAt, routesFor } from './routes';

export { prerenderedPages };

/** Renders the HTML of an address at build time, without any answer of the API. */
export async function render(path: string, isOpening = false): Promise<string> {
  const locale = localeOf(path);
  const texts = await createTexts(locale);
  const routes = routesFor(locale, texts, isOpening);
  const page = pageAt(routes, { pathname: path });
  if (page) await loadPage(page, texts);
  const { prelude } = await prerender(
    <StaticRouter location={path}>
      <Pages routes={routes} texts={texts} />
    </StaticRouter>,
  );
  return new Response(prelude).text();
}
