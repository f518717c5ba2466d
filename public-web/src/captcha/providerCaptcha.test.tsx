// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react';
import type { answerTo } from './captcha';
import type { WidgetOptions, Widgets } from './widgets';

const check = { required: true, challenge: null, provider: 'turnstile', siteKey: 'a key' } as const;

let scripts: HTMLScriptElement[];
let drawn: WidgetOptions[];

const page = window as unknown as { turnstile: Widgets; agioCaptchaReady: () => void };

/** Loads the provider's script, or fails to. */
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

it("gives the widget's token and restores the page", async () => {
  const dialog = document.querySelector('dialog');
  dialog?.showModal();
  document.getElementById('email')?.focus();
  const answer = (await load())('en', check);
  await arrives();
  const { sitekey, language, callback } = await widget();
  expect([sitekey, language]).toEqual(['a key', 'en']);
  expect(screen.getByRole('dialog', { name: 'Are you human?' })).toBeTruthy();
  // Providers append their puzzles to the page, so its end must not be inert.
  expect([dialog?.open, document.getElementById('root')?.hasAttribute('inert')]).toEqual([false, true]);
  await act(async () => callback('a word'));
  expect(await answer).toBe('a word');
  expect([dialog?.open, document.getElementById('root')?.hasAttribute('inert')]).toEqual([true, false]);
  expect(document.activeElement?.id).toBe('email');
  expect(screen.queryByText('Are you human?')).toBeNull();
});

it('loads the script once and renders another widget for another token', async () => {
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

it('shows a loading failure, and retries', async () => {
  const answer = (await load())('en', check);
  await arrives(false);
  expect((await screen.findByRole('alert')).textContent).toContain('could not load the check');
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Try again' })));
  await arrives();
  const { callback } = await widget();
  expect(screen.queryByRole('alert')).toBeNull();
  await act(async () => callback('a word'));
  expect(await answer).toBe('a word');
});

it('closing it shows that nothing was submitted', async () => {
  const answer = (await load())('en', check);
  const refused = expect(answer).rejects.toThrow(/closed before it was complete/);
  fireEvent.keyDown(await screen.findByRole('dialog'), { key: 'Escape' });
  await refused;
  expect(document.querySelector('[inert]')).toBeNull();
});

/** A fresh module, without the script of the former test. */
async function load(): Promise<typeof answerTo> {
  return (await import('./captcha')).answerTo;
}
