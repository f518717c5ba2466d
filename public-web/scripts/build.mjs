// Builds the site: bundles it, writes the HTML of every page in both languages, compresses everything beside itself.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, minify } from 'vite';
import { compressAll } from './compress.mjs';
import { pageHtml, preloads, takeHead } from './html.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');
const ssr = path.join(root, 'node_modules', '.prerender');
/**
 * The site's address, as https://example.com; by default the placeholder that the server replaces
 * (platform/server/src/http/site.rs has it too).
 */
const origin = process.env.VITE_SITE_ORIGIN ?? 'https://origin.invalid';
process.env.VITE_SITE_ORIGIN = origin;

const sha256 = (content) => createHash('sha256').update(content).digest('hex');

async function write(name, content) {
  const file = path.join(dist, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

/**
 * The service worker. It keeps what shows a page without a connection: the empty pages and the files of the first load,
 * which the browser has by then.
 */
async function writeWorker(buildId) {
  const pages = ['/offline.html', '/en/offline.html', '/app.html', '/en/app.html'];
  const files = await Promise.all(
    ['offline.html', 'en/offline.html'].map((name) => readFile(path.join(dist, name), 'utf8')),
  );
  const assets = files.flatMap((html) =>
    [...html.matchAll(/(?:src|href)="(\/assets\/[^"#]+)"/g)].map(([, file]) => file),
  );
  const source = await readFile(path.join(root, 'src', 'worker.js'), 'utf8');
  // Fonts are those of the owner's choice; the cache of the browser keeps them.
  const kept = JSON.stringify([...pages, ...new Set(assets.filter((file) => !file.endsWith('.woff2')))]);
  await write('worker.js', source.replace("'BUILD'", `'${buildId}'`).replace("['KEPT']", kept));
}

async function bundle() {
  const config = { root, configFile: path.join(root, 'vite.config.ts'), logLevel: 'warn' };
  await build({ ...config, build: { outDir: dist, emptyOutDir: true } });
  await build({
    ...config,
    build: { outDir: ssr, emptyOutDir: true, ssr: 'src/entry-server.tsx', manifest: false, copyPublicDir: false },
  });
}

/** The calculator for other sites: apart from the others, so that it has no code of theirs. */
async function bundleEmbed() {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: dist,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2022',
      cssMinify: 'lightningcss',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: path.join(root, 'embed.html') },
    },
  });
  await mkdir(path.join(dist, 'embed'));
  await rename(path.join(dist, 'embed.html'), path.join(dist, 'embed', 'index.html'));
}

/** The script that runs before the first paint, named by its hash. */
async function writeThemeScript() {
  const { code } = await minify('theme.js', await readFile(path.join(root, 'src', 'theme.js'), 'utf8'));
  const name = `assets/theme-${sha256(code).slice(0, 8)}.js`;
  await write(name, code);
  return `/${name}`;
}

/** The style of what the empty pages say, which no other page loads. */
async function writeBlankStyle() {
  const code = await readFile(path.join(root, 'src', 'styles', 'blank.css'), 'utf8');
  const name = `assets/blank-${sha256(code).slice(0, 8)}.css`;
  await write(name, code);
  return `/${name}`;
}

function sitemap(paths) {
  const links = (page) =>
    ['ru', 'en']
      .map((lang) => `<xhtml:link rel="alternate" hreflang="${lang}" href="${origin}${page[lang]}"/>`)
      .join('');
  const urls = paths.flatMap((page) =>
    ['ru', 'en'].map((lang) => `  <url><loc>${origin}${page[lang]}</loc>${links(page)}</url>`),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls.join('\n')}
</urlset>
`;
}

function robots() {
  const hidden = ['/api/', '/front-api/', '/claim', '/tech', '/account', '/recover', '/verify', '/waitlist'];
  const lines = ['User-agent: *', ...hidden.flatMap((prefix) => [`Disallow: ${prefix}`, `Disallow: /en${prefix}`])];
  return `${lines.join('\n')}\n${origin ? `\nSitemap: ${origin}/sitemap.xml\n` : ''}`;
}

async function writePages(template, manifest, shared) {
  const blankStyle = await writeBlankStyle();
  const { prerenderedPages, render } = await import(pathToFileURL(path.join(ssr, 'entry-server.js')).href);
  const pages = prerenderedPages();
  for (const { path: address, locale, sources } of pages) {
    const { head, body } = takeHead(await render(address));
    const extra = preloads(manifest, sources, locale);
    const folder = address === '/' ? '' : `${address.slice(1)}/`;
    await write(`${folder}index.html`, pageHtml(template, { ...shared, locale, head: head + extra, body }));
    if (address === '/' || address === '/en') {
      // The home page while nothing can be exchanged: the server delivers it in place of the other.
      const opening = takeHead(await render(address, true));
      const marked = `${opening.head}<meta name="opening" content="1"/>${extra}`;
      const page = pageHtml(template, { ...shared, locale, head: marked, body: opening.body });
      await write(`${folder}opening.html`, page);
    }
  }
  for (const locale of ['ru', 'en']) {
    const prefix = locale === 'en' ? '/en' : '';
    // Delivered at any address, which main.tsx recognises by their marks.
    for (const [name, sources] of [
      ['404', ['src/features/error/ErrorPage.tsx']],
      ['offline', []],
    ]) {
      const { head, body } = takeHead(await render(`${prefix}/${name}`));
      const extra = `<meta name="delivered" content="${name}"/>${preloads(manifest, [`texts-${locale}`, ...sources], locale)}`;
      await write(
        `${prefix}/${name}.html`.slice(1),
        pageHtml(template, { ...shared, locale, head: head + extra, body }),
      );
    }
    // Pages that the browser renders by itself: those of claims, and those of nothing that is known before.
    const style = `<link rel="stylesheet" href="${blankStyle}"/>`;
    const hidden = `<title>AGIO_SLOT_NAME</title><meta name="robots" content="noindex"/>${style}`;
    const texts = JSON.parse(await readFile(path.join(root, 'src', 'i18n', locale, 'tech.json'), 'utf8'));
    const contacts = `<a href="${prefix}/contacts">${texts.not_loaded_contacts}</a>`;
    // Shown while the code of the page is missing (styles/blank.css).
    const blank = `<aside class="blank wrap"><p>${texts.not_loaded}</p><p>${contacts}</p></aside>`;
    const claim = ['claims', ...['claim', 'push'].map((feature) => `src/i18n/${locale}/${feature}.json`)];
    for (const [name, sources] of [
      ['app', []],
      ['claim', claim],
    ]) {
      const extra = preloads(manifest, [`texts-${locale}`, ...sources], locale);
      await write(
        `${prefix}/${name}.html`.slice(1),
        pageHtml(template, { ...shared, locale, head: hidden + extra, body: '', blank }),
      );
    }
  }
  return pages;
}

await bundle();
await bundleEmbed();
const template = await readFile(path.join(dist, 'index.html'), 'utf8');
const manifestFile = path.join(dist, '.vite', 'manifest.json');
const manifestText = await readFile(manifestFile, 'utf8');
const themeScript = await writeThemeScript();
const buildId = sha256(manifestText + template + themeScript).slice(0, 12);
const pages = await writePages(template, JSON.parse(manifestText), { buildId, themeScript, origin });
await rm(path.dirname(manifestFile), { recursive: true });

const findable = pages.filter(({ locale, hidden }) => locale === 'ru' && !hidden);
const both = findable.map(({ path: ru }) => ({ ru, en: ru === '/' ? '/en' : `/en${ru}` }));
await write('sitemap.xml', sitemap(both));
await write('robots.txt', robots());
await writeWorker(buildId);
// The server fills the feed of news (platform/server/src/http/news_pages.rs).
for (const [folder, language] of [
  ['', 'ru'],
  ['en/', 'en'],
]) {
  await write(
    `${folder}news.xml`,
    `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">AGIO_SLOT_FEED</feed>\n`,
  );
}
await write('version.json', `${JSON.stringify({ build: buildId })}\n`);
const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
for (const typeface of Object.keys(dependencies).filter((name) => name.startsWith('@fontsource-variable/'))) {
  const license = createRequire(import.meta.url).resolve(`${typeface}/LICENSE`);
  await write(`licenses/${path.basename(typeface)}.txt`, await readFile(license));
}
const total = await compressAll(dist);
process.stdout.write(`${pages.length} pages, build ${buildId}, ${total} files compressed\n`);
