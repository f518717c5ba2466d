import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Where the server of the project listens while developing. */
const server = process.env.AGIO_SERVER ?? 'http://127.0.0.1:8080';

/**
 * The router publishes its development build under its name. This takes the warnings and the names for inspectors out,
 * whose assignments would also keep components in the bundle that nothing uses.
 */
const leanRouter: Plugin = {
  name: 'lean-router',
  apply: 'build',
  transform: {
    filter: { id: /\/react-router\/dist\// },
    handler: (code) =>
      code
        .replace('var ENABLE_DEV_WARNINGS = true;', 'var ENABLE_DEV_WARNINGS = false;')
        .replace(/^\w+\.displayName = "\w+";$/gm, '')
        .replace(/= (React\d*\.(?:forwardRef|createContext)\()/g, '= /* @__PURE__ */ $1'),
  },
};

/** One chunk of these modules alone; what they import stays where it would be without them. */
function together(name: string, test: RegExp) {
  return { name, test, includeDependenciesRecursively: false };
}

export default defineConfig({
  plugins: [react(), leanRouter],
  server: {
    proxy: { '/api': server, '/en/api': server, '/front-api': server, '/en/front-api': server },
  },
  build: {
    manifest: true,
    target: 'es2022',
    cssMinify: 'lightningcss',
    // Inlined files would become data: addresses, which the content security policy refuses for fonts.
    assetsInlineLimit: 0,
    // A browser without modulepreload only fetches the chunks a little later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What others wrote changes seldom: a returning visitor has it.
            { name: 'vendor', test: /\/node_modules\/(react|react-dom|react-router|i18next)\//, priority: 1 },
            // The first load names every chunk there is, so what is wanted together is one.
            together('session', /\/src\/session\/(AccountMenu|keep)/),
            together('accounts', /\/src\/(features\/(account|recover)\/(?!routes)|forms|session\/guards|captcha\/with)/),
            together(
              'note',
              /\/src\/(claimMemory|components\/(amounts|Coin|coins|currencyName|Field|hue|Countdown))\b/,
            ),
            { name: 'site', tags: ['$initial'], includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  ssr: { noExternal: true },
  test: {
    globals: true,
    environment: 'node',
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
