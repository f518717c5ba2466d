import { prerender } from 'react-dom/static';
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router';
import { localeOf } from './i18n/locale';
import { createTexts } from './i18n/texts';
import { prerenderedPages } from './prerendered';
import { routesFor } from './routes';

export { prerenderedPages };

/** Renders the HTML of an address at build time, without any answer of the API. */
export async function render(path: string, isOpening = false): Promise<string> {
  const locale = localeOf(path);
  const handler = createStaticHandler(routesFor(locale, await createTexts(locale), isOpening));
  const context = await handler.query(new Request(`http://localhost${path}`));
  if (context instanceof Response) throw new Error(`${path} redirects`);
  const router = createStaticRouter(handler.dataRoutes, context);
  const { prelude } = await prerender(<StaticRouterProvider router={router} context={context} hydrate={false} />);
  return new Response(prelude).text();
}
