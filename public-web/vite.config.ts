import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { ESTree, Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** The Agio server that the development server forwards API calls to. */
const server = process.env.AGIO_SERVER ?? 'http://127.0.0.1:8080';

/** The production build of the router, which the package's exports do not name. */
const router = fileURLToPath(new URL('../node_modules/react-router/dist/production/index.mjs', import.meta.url));

const repository = fileURLToPath(new URL('../', import.meta.url));

/** A path below `src`, or below the repository for modules of other packages. */
const pathOf = (id: string) => id.replace(repository, '').replace('public-web/src/', '');

/** One chunk of the modules whose paths begin so; what they import stays where it would be without them. */
function together(name: string, paths: RegExp) {
  return { name, test: (id: string) => pathOf(id).search(paths) === 0, includeDependenciesRecursively: false };
}

const catalogue = fileURLToPath(new URL('../modules/calculator/catalogue/', import.meta.url));

/** Other names of currencies by their codes, out of the server's catalogue. */
function aliases(): Plugin {
  const id = 'virtual:aliases';
  return {
    name: 'aliases',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load(module) {
      if (module !== `\0${id}`) return;
      const currencies = readdirSync(catalogue)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(catalogue + name, 'utf8')) as unknown)
        .filter((list) => Array.isArray(list))
        .flat() as { code: string; aliases?: string[] }[];
      const named = currencies.flatMap(({ code, aliases: names }) => (names ? [[code, names]] : []));
      return `export default ${JSON.stringify(Object.fromEntries(named))}`;
    },
  };
}

/** Short names of classes and animations: the file by its hash, the name by its place in it. The same for the browser and the server. */
const files = new Map<string, string>();
function classNameOf(name: string, file: string, css: string): string {
  const source = pathOf(file);
  const prefix = createHash('sha256').update(source).digest('hex').slice(0, 4);
  const other = files.get(prefix) ?? source;
  if (other !== source) throw new Error(`${source} and ${other} have the same prefix of class names`);
  files.set(prefix, source);
  const names = [...new Set(css.match(/(?<=\.|@keyframes )[a-z][\w-]*/gi))];
  const place = names.indexOf(name);
  if (place < 0) throw new Error(`${name} is not found in ${source}`);
  return `_${prefix}${place.toString(36)}`;
}

/**
 * The router's components that no page uses. Their names for React's developer tools, set beside them, would keep them in
 * the bundle, and the bundler takes no call of React's for one without effects.
 */
function withoutUnusedComponents(): Plugin {
  const makers = new Set(['createContext', 'forwardRef', 'memo']);
  return {
    name: 'without-unused-components',
    apply: 'build',
    transform: {
      filter: { id: /\/node_modules\/react-router\// },
      handler(code) {
        const edits: [start: number, end: number, by: string][] = [];
        for (const part of this.parse(code).body) {
          if (part.type === 'ExpressionStatement' && part.expression.type === 'AssignmentExpression') {
            if (propertyOf(part.expression.left) === 'displayName') edits.push([part.start, part.end, '']);
          } else if (part.type === 'VariableDeclaration') {
            for (const { init } of part.declarations) {
              if (init?.type !== 'CallExpression' || !makers.has(propertyOf(init.callee) ?? '')) continue;
              edits.push([init.start, init.start, '/* @__PURE__ */ ']);
            }
          }
        }
        return edits.reduceRight((text, [start, end, by]) => text.slice(0, start) + by + text.slice(end), code);
      },
    },
  };
}

/** `b` of the expression `a.b`. */
function propertyOf(node: ESTree.Node): string | undefined {
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' ? node.property.name : undefined;
}

/** All colours are within sRGB, so their second declaration, for browsers that know others, says the same. */
function withoutLab(): Plugin {
  return {
    name: 'without-lab',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const asset of Object.values(bundle)) {
        if (asset.type !== 'asset' || !asset.fileName.endsWith('.css')) continue;
        asset.source = asset.source.toString().replace(/@supports \(color:lab\(0% 0 0\)\)\{:root\{[^}]*\}\}/g, '');
      }
    },
  };
}

/**
 * Most functions of the first load are called at once. Chromium compiles them while they arrive, off the main thread, where
 * it is told so; others see a comment.
 */
function compiledEarly(): Plugin {
  return {
    name: 'compiled-early',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const first = new Set(
        chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName, imports }) => [fileName, ...imports]),
      );
      for (const chunk of chunks) {
        if (first.has(chunk.fileName)) chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
      }
    },
  };
}

export default defineConfig(({ command, isSsrBuild }) => ({
  plugins: [react(), aliases(), withoutLab(), withoutUnusedComponents(), compiledEarly()],
  css: command === 'build' ? { modules: { generateScopedName: classNameOf } } : {},
  resolve: { alias: command === 'build' ? [{ find: /^react-router$/, replacement: router }] : [] },
  server: {
    proxy: { '/api': server, '/en/api': server, '/front-api': server, '/en/front-api': server, '/docs': server },
  },
  build: {
    manifest: true,
    target: 'es2022',
    cssMinify: 'lightningcss',
    // Unlike the default, it knows functions by their whole path: the remarks of i18next to developers, which it only
    // writes when it is set to.
    minify: isSsrBuild ? false : 'terser',
    terserOptions: {
      ecma: 2020,
      compress: {
        passes: 2,
        pure_funcs: ['log', 'warn', 'deprecate', 'once'].map((level) => `this.logger.${level}`),
      },
    },
    // Inlined files would become data: addresses, which the content security policy refuses for fonts.
    assetsInlineLimit: 0,
    // A browser without modulepreload only fetches the chunks a little later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The router's remarks to developers.
      treeshake: { manualPureFunctions: ['warning'] },
      output: {
        codeSplitting: {
          groups: [
            // Libraries seldom change: a returning visitor has them in the cache.
            {
              name: 'vendor',
              test: /\/node_modules\/(react|react-dom|react-router|i18next)\/|^\0rolldown/,
              priority: 1,
            },
            // The first load has both.
            together('texts-ru', /i18n\/ru\/(common|home)\./),
            together('texts-en', /i18n\/en\/(common|home)\./),
            { name: 'site', tags: ['$initial'], includeDependenciesRecursively: false },
            // The first load lists every chunk, so modules that are needed together share one.
            together('session', /(session\/(AccountMenu|tabSession)|openapi\/client\/src\/session)/),
            together(
              'accounts',
              /features\/(account|recover)\/(?!partner)|features\/home\/claim\/(Saved|Extras|Promo)|forms\/[Pp]ass|session\/guards|captcha\/with/,
            ),
            together('info', /content\/|features\/info\/(?!ContactForm)|rules\/RulesText/),
            together('claims', /features\/claim\//),
            together('qr', /components\/Qr\.tsx|node_modules\/uqr\//),
            together(
              'parts',
              /api\/(useAnswer|currencies)|referral\/|newKey|components\/(CopyButton|LoadFailure|Modal|money|Notice|Points|Qr\.module)\b|forms\/(?![Pp]ass)|openClaims\/progress|push\/(?!MessengerLines|chats)|features\/home\/notices\/sanitise/,
            ),
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
}));
