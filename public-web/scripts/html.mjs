// Puts rendered pages into the template.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const assets = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist', 'assets');

/** React renders the tags of the head first; separates them from the body. */
export function takeHead(html) {
  const tags = /^(?:<title[^>]*>.*?<\/title>|<(?:meta|link)\b[^>]*\/?>)+/s.exec(html);
  const head = tags ? tags[0] : '';
  return { head, body: html.slice(head.length) };
}

/** A chunk by its source or name, and all it imports. */
function chunksOf(manifest, source, found = new Map()) {
  const chunk = manifest[source] ?? Object.values(manifest).find(({ name }) => name === source);
  if (chunk && !found.has(source)) {
    found.set(source, chunk);
    for (const imported of chunk.imports ?? []) {
      chunksOf(manifest, imported, found);
    }
  }
  return found;
}

const FONTS = { ru: ['latin-basic', 'cyrillic-basic'], en: ['latin-basic'] };

/** Preload links of a page's own code, texts, styles and fonts. */
export function preloads(manifest, sources, locale) {
  const entry = chunksOf(manifest, 'index.html');
  const chunks = new Map(sources.flatMap((source) => [...chunksOf(manifest, source)]));
  const own = [...chunks].filter(([name]) => !entry.has(name)).map(([, chunk]) => chunk);
  const styles = [...new Set(own.flatMap(({ css }) => css ?? []))];
  const files = readdirSync(assets);
  const fonts = FONTS[locale].flatMap((set) => files.filter((file) => file.startsWith(`geologica-${set}-shrp`)));
  return [
    ...styles.map((file) => `<link rel="stylesheet" href="/${file}"/>`),
    ...own
      .filter(({ file }) => file.endsWith('.js'))
      .map(({ file }) => `<link rel="modulepreload" crossorigin href="/${file}" fetchpriority="low"/>`),
    ...fonts.map(
      (file) =>
        `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/${file}" fetchpriority="low"/>`,
    ),
  ].join('');
}

/** `blank` is for a page without a body, beside the place that the browser renders into. */
export function pageHtml(template, { locale, head, body, blank = '', buildId, themeScript, origin }) {
  const place = origin ? `<meta name="origin" content="${origin}"/>` : '';
  // What arrived in part would move when the rest arrives. A page is a few packets, so nothing is painted before its end.
  const whole = '<link rel="expect" href="#footer" blocking="render"/>';
  const early = `<script src="${themeScript}"></script>${whole}<meta name="build" content="${buildId}"/>${place}`;
  return template
    .replace('<html lang="ru">', `<html lang="${locale}">`)
    .replaceAll('<script type="module" crossorigin', '<script type="module" crossorigin fetchpriority="low"')
    .replaceAll('<link rel="modulepreload" crossorigin', '<link rel="modulepreload" crossorigin fetchpriority="low"')
    .replace('<!--head-->', () => early + head)
    .replace('<!--page-->', () => body)
    .replace('</body>', () => `${blank}</body>`);
}
