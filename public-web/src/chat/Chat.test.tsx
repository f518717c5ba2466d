// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { LocaleContext } from '../i18n/locale';
import { createTexts, loadTexts, TextsContext } from '../i18n/texts';
import { type ChatPage, DEFAULT_SITE, SiteContext } from '../site';
import { Chat } from './Chat';
import { isOffered } from './where';

const CHAT = { url: 'https://chat.example/widget', title: '', onClaims: false };
const CLAIM = '/claim/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10';

async function open(path: string, chat: ChatPage | null = CHAT, contactsOnClaims = true) {
  const texts = await createTexts('en');
  await Promise.all([loadTexts(texts, 'chat'), loadTexts(texts, 'common')]);
  const router = createMemoryRouter(
    [{ path: '*', element: <Chat chat={chat} contactsOnClaims={contactsOnClaims} /> }],
    { initialEntries: [path] },
  );
  render(
    <TextsContext value={texts}>
      <SiteContext value={{ ...DEFAULT_SITE, supportEmail: 'help@agio.example' }}>
        <LocaleContext value="en">
          <RouterProvider router={router} />
        </LocaleContext>
      </SiteContext>
    </TextsContext>,
  );
  return router;
}

const opener = () => screen.queryByRole('button', { name: 'Chat with support' });
const frame = () => document.querySelector('iframe');

// The simulated browser loads no page into a frame.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe('the support chat', () => {
  it('loads nothing of the provider before it is opened, and isolates its frame', async () => {
    await open('/en/faq');
    expect(opener()).not.toBeNull();
    expect(frame()).toBeNull();
    fireEvent.click(opener() as HTMLElement);
    expect(frame()?.getAttribute('src')).toBe(CHAT.url);
    expect(frame()?.getAttribute('sandbox')).toBe('allow-scripts allow-forms allow-popups');
    expect(screen.getByRole('dialog', { name: 'Chat with support' })).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Close the chat' }));
  });

  it('is folded by Escape and by its button, and keeps the conversation', async () => {
    await open('/en');
    fireEvent.click(opener() as HTMLElement);
    const before = frame();
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(document.activeElement).toBe(opener());
    fireEvent.click(opener() as HTMLElement);
    expect(frame()).toBe(before);
    fireEvent.click(screen.getByRole('button', { name: 'Close the chat' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it("has the operator's title", async () => {
    await open('/en', { ...CHAT, title: 'Help' });
    expect(screen.getByRole('button', { name: 'Help' })).toBeTruthy();
  });

  it('is removed where payment details are shown', async () => {
    const router = await open('/en/faq');
    fireEvent.click(opener() as HTMLElement);
    await act(() => router.navigate('/en/claim'));
    expect(opener()).toBeNull();
    expect(frame()).toBeNull();
    await act(() => router.navigate('/en/claim/success'));
    expect(opener()).not.toBeNull();
    expect(frame()).toBeNull();
  });
});

describe('the contacts of support, without a chat', () => {
  const corner = () => screen.queryByRole('button', { name: 'Contact support' });

  it('are on every page, and lead to the form and to a claim', async () => {
    const router = await open('/en/claim', null);
    fireEvent.click(corner() as HTMLElement);
    expect(screen.getByRole('dialog', { name: 'Contact support' })).toBeTruthy();
    expect(frame()).toBeNull();
    expect(screen.getByRole('link', { name: 'help@agio.example' }).getAttribute('href')).toBe(
      'mailto:help@agio.example',
    );
    expect(screen.getByRole('button', { name: 'Find my claim' })).toBeTruthy();
    await act(() => router.navigate('/en'));
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(corner() as HTMLElement);
    await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Write to us on this site' })));
    expect(router.state.location.pathname).toBe('/en/contacts');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('lead to no page that technical mode leads back from', async () => {
    await open('/en/tech', null);
    fireEvent.click(corner() as HTMLElement);
    expect(screen.queryByRole('link', { name: 'Write to us on this site' })).toBeNull();
    expect(screen.getByRole('link', { name: 'help@agio.example' })).toBeTruthy();
  });

  it('are not beside payment details where the owner wants none there', async () => {
    const router = await open('/en/claim', null, false);
    expect(corner()).toBeNull();
    await act(() => router.navigate('/en/claim/success'));
    expect(corner()).not.toBeNull();
  });
});

it('the chat is offered except beside payment details, unless the operator allows it', () => {
  const elsewhere = ['/', '/faq', '/account/orders', '/claims', '/claim/success', '/claim/fail', '/tech'];
  const withRequisites = ['/claim', '/claim/', CLAIM, `${CLAIM}/`, '/claim/successful'];
  for (const root of ['', '/en']) {
    for (const path of elsewhere) expect(isOffered(false, root + path), root + path).toBe(true);
    for (const path of withRequisites) {
      expect(isOffered(false, root + path), root + path).toBe(false);
      expect(isOffered(true, root + path), root + path).toBe(true);
    }
  }
});
