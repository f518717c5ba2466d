// @vitest-environment happy-dom
import { act } from 'react';
import { hydrateRoot, type Root } from 'react-dom/client';
import { prerender } from 'react-dom/static';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { SLOTS } from '../../content/slots';
import { LocaleContext } from '../../i18n/locale';
import { createTexts, loadTexts, TextsContext } from '../../i18n/texts';
import { Component } from './InfoPage';

const ANSWER = {
  page: 'rules',
  title: 'Rules',
  description: 'About.',
  html: '<p>The first rules.</p>',
  version: 1,
  present: false,
  updatedAt: '2024-03-01T12:00:00Z',
  updatedOn: '1 March 2024',
};

let requests: string[] = [];
let wrong: unknown[] = [];
let open: Root | undefined;

async function pageAt(address: string) {
  const texts = await createTexts('en');
  await loadTexts(texts, 'info');
  const router = createMemoryRouter(
    ['rules', 'faq', 'aml'].map((page) => ({
      path: `/en/${page}`,
      element: (
        <main id="main">
          <Component />
        </main>
      ),
    })),
    { initialEntries: [address] },
  );
  const element = (
    <TextsContext value={texts}>
      <LocaleContext value="en">
        <RouterProvider router={router} />
      </LocaleContext>
    </TextsContext>
  );
  return { element, router };
}

/** Fills the built page as the server does. */
function filled(html: string): string {
  return html
    .replaceAll(SLOTS.title, 'Questions')
    .replaceAll(SLOTS.description, 'What people ask.')
    .replaceAll(SLOTS.version, '3')
    .replaceAll(SLOTS.updatedAt, '2024-03-28T12:00:00Z')
    .replaceAll(SLOTS.updatedOn, '28 March 2024')
    .replaceAll(
      SLOTS.html,
      '<details><summary><h3>Late?</h3></summary><div id="late-payment"><p>Not lost.</p></div></details>',
    );
}

/** Renders the page as the build does: where there is no document. */
async function built(address: string): Promise<string> {
  const { element } = await pageAt(address);
  const { document } = globalThis;
  vi.stubGlobal('document', undefined);
  try {
    const { prelude } = await prerender(element);
    return await new Response(prelude).text();
  } finally {
    vi.stubGlobal('document', document);
  }
}

/** Leaves the page: pending answers must not change the next one. */
async function left() {
  await act(async () => open?.unmount());
  open = undefined;
}

async function shown(address: string) {
  await left();
  const html = filled(await built(address));
  const head = /^(?:<title[^>]*>.*?<\/title>|<(?:meta|link)\b[^>]*\/?>)+/s.exec(html)?.[0] ?? '';
  document.head.innerHTML = head;
  document.body.innerHTML = `<div id="root">${html.slice(head.length)}</div>`;
  const { element, router } = await pageAt(address);
  const root = document.getElementById('root') as HTMLElement;
  await act(async () => {
    open = hydrateRoot(root, element, { onRecoverableError: (error) => wrong.push(error) });
  });
  return { root, router };
}

beforeEach(() => {
  requests = [];
  wrong = [];
  vi.spyOn(console, 'error').mockImplementation((message) => {
    // The build and the browser are one process here.
    if (!String(message).startsWith('Detected multiple renderers')) wrong.push(message);
  });
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('scrollTo', () => {});
  Element.prototype.scrollIntoView = () => {};
  vi.stubGlobal('fetch', async (address: string) => {
    if (address.includes('/content/')) requests.push(address);
    return new Response(JSON.stringify(ANSWER), { headers: { 'Content-Type': 'application/json' } });
  });
});

afterEach(async () => {
  await left();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a page with the operator’s text', () => {
  it('is complete before a script runs, and hydrated unchanged', async () => {
    const { root } = await shown('/en/faq');
    expect(wrong).toEqual([]);
    expect(root.querySelector('h1')?.textContent).toBe('Questions');
    expect(root.querySelector('#late-payment')?.textContent).toBe('Not lost.');
    expect(document.title).toBe('Questions | Agio');
    expect(document.querySelectorAll('meta[name="description"]')).toHaveLength(1);
    expect(requests).toEqual([]);
  });

  it('opens the question of its address', async () => {
    const { root } = await shown('/en/faq#late-payment');
    expect(root.querySelector('details')?.open).toBe(true);
  });

  it('shows an old version of the rules, marked as old', async () => {
    const { root } = await shown('/en/rules?version=1');
    expect(wrong).toEqual([]);
    expect(requests).toEqual(['/en/api/v1/content/rules/?version=1']);
    expect(root.querySelector('#page-text')?.innerHTML).toBe('<p>The first rules.</p>');
    expect(root.textContent).toContain('earlier version 1 of 1 March 2024');
    expect(root.querySelector('article a[href="/en/rules"]')).not.toBeNull();
  });

  it('names the version and links to the previous one', async () => {
    const { root } = await shown('/en/aml');
    expect(wrong).toEqual([]);
    expect(root.textContent).toContain('Version 3 of 28 March 2024.');
    expect(root.querySelector('a[href="/en/aml?version=2"]')).not.toBeNull();
  });

  it('requests its text after a navigation', async () => {
    const { root, router } = await shown('/en/faq');
    await act(() => router.navigate('/en/rules'));
    expect(requests).toEqual(['/en/api/v1/content/rules/']);
    expect(root.querySelector('h1')?.textContent).toBe('Rules');
  });

  it('ignores a version where there is none, and what is no number', async () => {
    await shown('/en/faq?version=1');
    await shown('/en/rules?version=1e3');
    expect(requests).toEqual([]);
  });
});
