// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { framed, paint } from './letter.ts';

const LETTER = `<!doctype html><html lang="ru"><head><style>.ink { color: red }</style></head>
<body><script>steal()</script><form action="/x"><p style="color: blue">Здравствуйте &quot; style=&quot;</p></form>
<p class="ink" style="margin:0">Ссылка: <a href="https://agio.example/claim/1">открыть</a></p></body></html>`;

it('shows a letter in which nothing runs, loads or leads away', () => {
  document.head.innerHTML = '<meta name="style-nonce" content="n0nce">';
  const html = framed(LETTER, document);
  const letter = new DOMParser().parseFromString(html, 'text/html');
  expect(letter.querySelector('script, form, a[href], [style]')).toBeNull();
  expect(letter.querySelector('style')?.getAttribute('nonce')).toBe('n0nce');
  expect(letter.querySelector('a')?.getAttribute('title')).toBe('https://agio.example/claim/1');
  const policy = letter.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '';
  expect(policy.startsWith("default-src 'none'")).toBe(true);
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'));
});

it('gives the elements their looks once the frame is there', () => {
  const frame = document.createElement('iframe');
  const letter = new DOMParser().parseFromString(framed(LETTER, document), 'text/html');
  Object.defineProperty(frame, 'contentDocument', { value: letter });
  paint(frame);
  expect(letter.querySelector<HTMLElement>('p.ink')?.style.margin).toBe('0px');
});
