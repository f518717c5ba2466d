// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { framed, paint } from './isolation.ts';

const EMAIL = `<!doctype html><html lang="ru"><head><style>.ink { color: red }</style></head>
<body><script>steal()</script><form action="/x"><p style="color: blue">Здравствуйте &quot; style=&quot;</p></form>
<p class="ink" style="margin:0">Ссылка: <a href="https://agio.example/claim/1">открыть</a></p></body></html>`;

it('shows an email in which nothing runs, loads or leads away', () => {
  document.head.innerHTML = '<meta name="style-nonce" content="n0nce">';
  const html = framed(EMAIL, document);
  const email = new DOMParser().parseFromString(html, 'text/html');
  expect(email.querySelector('script, form, a[href], [style]')).toBeNull();
  expect(email.querySelector('style')?.getAttribute('nonce')).toBe('n0nce');
  expect(email.querySelector('a')?.getAttribute('title')).toBe('https://agio.example/claim/1');
  const policy = email.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '';
  expect(policy.startsWith("default-src 'none'")).toBe(true);
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'));
});

it('gives the elements their styles once the frame is there', () => {
  const frame = document.createElement('iframe');
  const email = new DOMParser().parseFromString(framed(EMAIL, document), 'text/html');
  Object.defineProperty(frame, 'contentDocument', { value: email });
  paint(frame);
  expect(email.querySelector<HTMLElement>('p.ink')?.style.margin).toBe('0px');
});
