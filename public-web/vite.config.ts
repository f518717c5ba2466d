import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Where the server of the project listens while developing. */
const server = process.env.AGIO_SERVER ?? 'http://127.0.0.1:8080';

/**
 * The router publishes its development build under its name. This takes the warnings and the names for inspectors out,
 * whose assignments would also keep components in the bundle that nothing uses, and what its assertions say to developers.
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
        .replace(/(\b(?:invariant|warning|warningOnce)\d*\([^;]*?),\s*(?:`[^`]*`|"[^"]*")\s*\);/g, '$1);')
        .replace(/= (React\d*\.(?:forwardRef|createContext)\()/g, '= /* @__PURE__ */ $1'),
  },
};

/** What the translations say to developers stays in the development server: kilobytes of advice that no visitor reads. */
const leanTexts: Plugin = {
  name: 'lean-texts',
  apply: 'build',
  transform: {
    filter: { id: /\/i18next\/dist\/esm\/i18next\.js/ },
    handler: (code) => code.replace(/^\s*this\.logger\.(?:log|warn|once|deprecate)\(.*\);$/gm, ';'),
  },
};

/** What only the build asks of a page, taken out of the list of pages that browsers load. */
const leanPages: Plugin = {
  name: 'lean-pages',
  apply: (_, { isSsrBuild }) => !isSsrBuild,
  transform: {
    filter: { id: /\/src\/(routes|features\/\w+\/routes)\.tsx?$/ },
    handler: (code) => code.replace(/^\s*(?:html|source|hidden): .+,\n/gm, ''),
  },
};

const sources = fileURLToPath(new URL('src/', import.meta.url));

/** One chunk of the modules whose paths begin so; what they import stays where it would be without them. */
function together(name: string, paths: RegExp) {
  const test = (id: string) => id.startsWith(sources) && id.slice(sources.length).search(paths) === 0;
  return { name, test, includeDependenciesRecursively: false };
}

export default defineConfig({
  plugins: [react(), leanRouter, leanTexts, leanPages],
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
            together('session', /session\/(AccountMenu|keep)/),
            together(
              'accounts',
              /features\/(account|recover)\/(?!routes|partner)|features\/home\/claim\/(Kept|Extras|Promo)|forms|session\/guards|captcha\/with/,
            ),
            together('info', /src\/content\/|features\/info\/(?!routes|ContactForm)|rules\/RulesText/),
            together('claims', /features\/claim\/(?!routes)/),
            together(
              'parts',
              /api\/useAnswer|captcha\/captcha|trusted|referral\/|newKey|components\/(CopyButton|Modal|Notice|Points|Qr)\b/,
            ),
            together(
              'note',
              /claimMemory|i18n\/Trans|rules\/(useRules|rules\.module)|requisites\/(RequisiteField|typing|useRequisite)|components\/(amounts|Coin|coins|Countdown|currencyName|Field|hue|Perforation)\b/,
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
    setupFiles: ['src/testing.ts'],
    testTimeout: 60_000,
    include: ['src/**/*.test.{ts,tsx}'],
  },
});
