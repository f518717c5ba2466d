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
        // What others wrote changes seldom: a returning visitor has it.
        codeSplitting: {
          groups: [{ name: 'vendor', test: /\/node_modules\/(react|react-dom|react-router|i18next)\// }],
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
