// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import type { answerTo } from './captcha';
import type { WidgetOptions, Widgets } from './widgets';

const check = { required: true, challenge: null, provider: 'turnstile', siteKey: 'a key' } as const;

let scripts: HTMLScriptElement[];
let drawn: WidgetOptions[];

const page = window as unknown as { turnstile: Widgets; agioCaptchaReady: () => void };

/** The provider's script arrives, or does not. */
async function arrives(does = true): Promise<void> {
  await vi.waitFor(() => expect(scripts).toHaveLength(1));
  const script = scripts.pop();
  await act(async () => (does ? page.agioCaptchaReady() : void script?.dispatchEvent(new Event('error'))));
}

const widget = () => vi.waitFor(() => drawn.at(-1) ?? Promise.reject(new Error('no widget')));

beforeEach(() => {
  vi.resetModules();
  scripts = [];
  drawn = [];
  document.body.innerHTML = '<div id="root"><dialog><input id="email"></dialog></div>';
  vi.spyOn(document.head, 'append').mockImplementation((...nodes) => {
    scripts.push(...(nodes as HTMLScriptElement[]));
  });
  page.turnstile = { render: (_, options) => drawn.push(options) };
});

afterEach(() => vi.restoreAllMocks());

it('gives the word of the widget and leaves the page as it was', async () => {
  const dialog = document.querySelector('dialog');
  dialog?.showModal();
  document.getElementById('email')?.focus();
  const answer = (await load())('en', check);
  await arrives();
  const { sitekey, language, callback } = await widget();
  expect([sitekey, language]).toEqual(['a key', 'en']);
  expect(screen.getByRole('dialog', { name: 'Are you human?' })).toBeTruthy();
  // The puzzles of providers stand at the end of the page, so nothing may keep that out of reach.
  expect([dialog?.open, document.getElementById('root')?.hasAttribute('inert')]).toEqual([false, true]);
  await act(async () => callback('a word'));
  expect(await answer).toBe('a word');
  expect([dialog?.open, document.getElementById('root')?.hasAttribute('inert')]).toEqual([true, false]);
  expect(document.activeElement?.id).toBe('email');
  expect(screen.queryByText('Are you human?')).toBeNull();
});

it('loads the script once and draws another widget for another answer', async () => {
  const ask = await load();
  for (const word of ['one', 'two']) {
    const answer = ask('ru', check);
    if (word === 'one') await arrives();
    await vi.waitFor(() => expect(drawn).toHaveLength(word === 'one' ? 1 : 2));
    await act(async () => drawn.at(-1)?.callback(word));
    expect(await answer).toBe(word);
  }
  expect(scripts).toHaveLength(0);
});

it('says when it does not load, and tries again', async () => {
  const answer = (await load())('en', check);
  await arrives(false);
  expect((await screen.findByRole('alert')).textContent).toContain('did not load');
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Try again' })));
  await arrives();
  const { callback } = await widget();
  expect(screen.queryByRole('alert')).toBeNull();
  await act(async () => callback('a word'));
  expect(await answer).toBe('a word');
});

it('a visitor who closes it is told that nothing was sent', async () => {
  const answer = (await load())('en', check);
  const refused = expect(answer).rejects.toThrow(/closed before it was done/);
  fireEvent.keyDown(await screen.findByRole('dialog'), { key: 'Escape' });
  await refused;
  expect(document.querySelector('[inert]')).toBeNull();
});

/** The module anew, without a script of the test before. */
async function load(): Promise<typeof answerTo> {
  return (await import('./captcha')).answerTo;
}
