import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig } from 'vitepress';

type Markdown = NonNullable<
  Parameters<NonNullable<NonNullable<Parameters<typeof defineConfig>[0]['markdown']>['config']>>[0]
>;

const docs = fileURLToPath(new URL('..', import.meta.url));

/** The operator's guide in its order; the files are the same in both languages. */
const OPERATOR = [
  'index',
  'sign-in',
  'overview',
  'claims',
  'process-a-claim',
  'claim-problems',
  'technical-mode',
  'directions',
  'currencies',
  'rates',
  'reserves',
  'payment-details',
  'payments',
  'customers',
  'verification',
  'approvals',
  'growth',
  'pages',
  'emails',
  'records',
  'settings',
  'staff',
  'what-to-do',
];
const ADMINISTRATOR = ['index', 'install', 'configure', 'keys', 'backup', 'observe', 'upgrade', 'several-nodes'];
const DEVELOPER = ['index', 'architecture', 'api', 'plugins', 'sites'];

/** Links to pages, each by its heading. */
function links(folder: string, names: string[]): DefaultTheme.SidebarItem[] {
  return names.map((name) => {
    const heading = /^# (.+)$/m.exec(readFileSync(join(docs, folder, `${name}.md`), 'utf8'));
    return { text: heading?.[1] ?? name, link: `/${folder}${name}.html` };
  });
}

function allPages(folder: string): DefaultTheme.SidebarItem[] {
  const names = readdirSync(join(docs, folder)).filter((name) => name.endsWith('.md'));
  const pages = names.map((name) => name.slice(0, -3)).filter((name) => name !== 'README' && name !== 'index');
  return links(folder, pages.sort());
}

/**
 * The pages are served with a strict content security policy: scripts that VitePress writes into them become files, and
 * its two inline styles, which it sets again in the browser, are dropped.
 */
function withoutInlineCode(html: string, folder: string): string {
  return html
    .replace(/ style="[^"]*"/g, '')
    .replace(/<script id="[^"]*">(.*?)<\/script>|<script>(.*?)<\/script>/gs, (_, named, plain) => {
      const script = named ?? plain;
      const name = `assets/inline-${createHash('sha256').update(script).digest('hex').slice(0, 12)}.js`;
      mkdirSync(join(folder, 'assets'), { recursive: true });
      writeFileSync(join(folder, name), script);
      return `<script src="/help/${name}"></script>`;
    });
}

/** Links to files that are not part of the help become plain text. */
function withoutOuterLinks(md: Markdown): void {
  md.core.ruler.push('outer_links', (state) => {
    for (const { children } of state.tokens) {
      let outer = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') outer = isOuter(token.attrGet('href') ?? '', state.env.relativePath);
        if (outer && (token.type === 'link_open' || token.type === 'link_close')) {
          outer = token.type === 'link_open';
          token.type = 'text';
          token.content = '';
        }
      }
    }
  });
}

function isOuter(href: string, page: string): boolean {
  const [path = ''] = href.split('#');
  if (path === '' || path.startsWith('/') || /^[a-z]+:/.test(path)) return false;
  const target = posix.join(posix.dirname(page), path);
  return target.startsWith('..') || target === 'README.md' || !target.endsWith('.md');
}

export default defineConfig({
  base: '/help/',
  outDir: 'dist',
  cacheDir: '../node_modules/.vitepress',
  srcExclude: ['README.md'],
  // Pages are read on GitHub as well, where links lead beyond this folder. `npm run check` finds dead ones.
  ignoreDeadLinks: true,
  metaChunk: true,
  // It would insert a style sheet for a moment.
  appearance: { disableTransition: false },
  title: 'Agio',
  head: [
    ['link', { rel: 'icon', href: '/help/mark.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'robots', content: 'noindex' }],
  ],
  transformHtml: (html, _, { siteConfig }) => withoutInlineCode(html, siteConfig.outDir),
  markdown: {
    html: false,
    // Colours of code would be inline styles.
    highlight: (code) =>
      `<pre v-pre><code>${code.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</code></pre>`,
    config: (md) => {
      withoutOuterLinks(md);
      // Vue would read these brackets as an expression.
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (...args) => (text?.(...args) ?? '').replaceAll('{{', '<span v-pre>{{</span>');
    },
  },
  themeConfig: {
    logo: '/mark.svg',
    i18nRouting: false,
    search: {
      provider: 'local',
      options: {
        locales: {
          'guide/ru': {
            translations: {
              button: { buttonText: 'Поиск', buttonAriaLabel: 'Поиск' },
              modal: {
                displayDetails: 'Показать подробно',
                resetButtonTitle: 'Очистить',
                backButtonTitle: 'Закрыть поиск',
                noResultsText: 'Ничего не нашлось:',
                footer: { selectText: 'открыть', navigateText: 'перейти', closeText: 'закрыть' },
              },
            },
          },
        },
      },
    },
  },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      link: '/guide/en/operator/index.html',
      themeConfig: {
        nav: [{ text: 'Console', link: '/admin/', target: '_self' }],
        sidebar: [
          { text: 'Operator', items: links('guide/en/operator/', OPERATOR) },
          { text: 'Administrator', items: links('guide/en/administrator/', ADMINISTRATOR) },
          { text: 'Developer', collapsed: true, items: links('guide/en/developer/', DEVELOPER) },
          { text: 'Reference', collapsed: true, items: allPages('') },
          { text: 'Decisions', collapsed: true, items: allPages('adr/') },
        ],
      },
    },
    'guide/ru': {
      label: 'Русский',
      lang: 'ru',
      link: '/guide/ru/operator/index.html',
      themeConfig: {
        nav: [{ text: 'Консоль', link: '/admin/', target: '_self' }],
        sidebar: [{ text: 'Оператору', items: links('guide/ru/operator/', OPERATOR) }],
        outline: { label: 'На этой странице' },
        docFooter: { prev: 'Назад', next: 'Дальше' },
        darkModeSwitchLabel: 'Тема',
        lightModeSwitchTitle: 'Светлая тема',
        darkModeSwitchTitle: 'Тёмная тема',
        sidebarMenuLabel: 'Содержание',
        returnToTopLabel: 'Наверх',
        langMenuLabel: 'Язык',
        skipToContentLabel: 'К тексту',
        notFound: { title: 'Такой страницы нет', quote: 'Поищите её по содержанию.', linkText: 'К началу' },
      },
    },
  },
});
