// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import type { ClaimStatus } from '../api/types';
import { spoken } from '../components/toasts';
import * as claims from '../features/claim/testing';
import * as accounts from '../session/testing';

const ID = '3f2b8c1e-5d74-4a0b-9a63-0c1f7e2d4b58';
const LINK = 'https://t.me/agio_bot?start=Zm9v';
const TELEGRAM = { name: 'telegram', title: 'Telegram' };
const CHAT = { id: '7e1f0c55-8f0e-4d52-8b7e-2f2ad5a1c0d1', messenger: 'telegram' };
const OFF = 'О заявке можно узнавать из сообщений в Telegram';
const REFUSAL = 'За заявкой следят уже в пяти местах.';

const plain = (text: string | null | undefined) => (text ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');
const button = (name: string) => screen.getByRole('button', { name });
const link = () => screen.getByRole('link', { name: 'Открыть Telegram' });
const lineOf = (element: HTMLElement) => plain(element.parentElement?.textContent);

async function press(name: string): Promise<void> {
  await act(async () => {
    button(name).focus();
    fireEvent.click(button(name));
  });
}

/** The page asks every three seconds. */
const wait = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1000));

class MessengerServer extends claims.ClaimServer {
  chats = [] as (typeof CHAT)[];

  constructor(status: Partial<ClaimStatus> = { status: 'awaiting_payment' }) {
    super(status);
    this.settings.messengers = [TELEGRAM];
    this.answers.chats = () => Response.json({ chats: this.chats });
    this.answers.telegram = () => Response.json({ link: LINK, expiresAt: new Date(Date.now() + 60_000) });
    this.answers[CHAT.id] = () => {
      this.chats = [];
      return new Response(null, { status: 204 });
    };
  }

  of(call: string): number {
    return this.calls.filter(({ method, path }) => `${method} ${path}`.startsWith(call)).length;
  }
}

const asked = `GET /claim/${ID}/chats/`;
const open = (server: claims.ClaimServer) => claims.open(`/claim/${ID}`, server);

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  cleanup();
  accounts.forget();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('messages about a claim', () => {
  it('are neither offered nor asked for without a messenger, and when nothing is to come', async () => {
    const none = new MessengerServer();
    none.settings.messengers = [];
    await open(none);
    await screen.findByRole('heading', { level: 1 });
    expect(document.body.textContent).not.toContain('Telegram');
    expect(none.of(asked)).toBe(0);
    cleanup();
    const over = new MessengerServer({ status: 'completed', isFinal: true });
    await claims.open(`/claim/success?id=${ID}`, over);
    await screen.findByRole('heading', { level: 1 });
    expect(document.body.textContent).not.toContain('Telegram');
    expect(over.of(asked)).toBe(0);
  });

  it('are connected by a link, which keeps the focus, and disconnected', async () => {
    const server = new MessengerServer();
    await open(server);
    await screen.findByRole('button', { name: 'Подключить Telegram' });
    expect(lineOf(button('Подключить Telegram'))).toContain(OFF);
    await press('Подключить Telegram');
    expect(link().getAttribute('href')).toBe(LINK);
    expect(link().getAttribute('rel')).toBe('noopener noreferrer');
    expect(document.activeElement).toBe(link());
    expect(screen.getByRole('img', { name: 'QR-код, который открывает Telegram' })).toBeTruthy();
    expect(lineOf(link())).toMatch(/Ссылка действует до \d\d:\d\d\./);

    await wait(3);
    expect(link()).toBeTruthy();
    server.chats = [CHAT];
    await wait(3);
    expect(lineOf(button('Отключить'))).toContain('Сообщения о заявке приходят в Telegram.');
    expect(plain(spoken.get())).toBe('Сообщения о заявке приходят в Telegram.');
    expect(document.activeElement).toBe(button('Отключить'));
    expect(server.of(asked)).toBe(3);
    await wait(10);
    expect(server.of(asked)).toBe(3);

    await press('Отключить');
    expect(server.of(`DELETE /claim/${ID}/push/${CHAT.id}/`)).toBe(1);
    expect(document.activeElement).toBe(button('Подключить Telegram'));
  });

  it('that are connected already are shown so, and what has ended is disconnected', async () => {
    const server = new MessengerServer();
    server.chats = [CHAT];
    await open(server);
    await screen.findByRole('button', { name: 'Отключить' });
    expect(screen.queryByRole('button', { name: 'Подключить Telegram' })).toBeNull();
    server.answers[CHAT.id] = () => claims.problem(404, 'push_subscription_not_found', 'Такой подписки нет.');
    await press('Отключить');
    expect(button('Подключить Telegram')).toBeTruthy();
  });

  it('are offered again when the link has expired', async () => {
    const server = new MessengerServer();
    await open(server);
    await screen.findByRole('button', { name: 'Подключить Telegram' });
    await press('Подключить Telegram');
    await wait(57);
    expect(link()).toBeTruthy();
    server.answers.chats = () => claims.problem(503, 'overloaded', 'Попробуйте позже.');
    await wait(3);
    expect(lineOf(button('Подключить Telegram'))).toContain('Срок действия ссылки истёк.');
    expect(document.activeElement).toBe(button('Подключить Telegram'));
    await press('Подключить Telegram');
    expect(link()).toBeTruthy();
  });

  it('wait for nobody who does not look', async () => {
    const server = new MessengerServer();
    await open(server);
    await screen.findByRole('button', { name: 'Подключить Telegram' });
    await press('Подключить Telegram');
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    server.chats = [CHAT];
    await wait(120);
    expect(server.of(asked)).toBe(1);
    visibility.mockRestore();
    await act(async () => {
      document.dispatchEvent(new Event('visibilitychange'));
    });
    expect(await screen.findByRole('button', { name: 'Отключить' })).toBeTruthy();
  });

  it('show why there is no link, and try again', async () => {
    const server = new MessengerServer();
    const works = server.answers.telegram as () => Response;
    server.answers.telegram = () => claims.problem(409, 'too_many_browsers', REFUSAL);
    await open(server);
    await screen.findByRole('button', { name: 'Подключить Telegram' });
    await press('Подключить Telegram');
    expect(screen.getByText(REFUSAL).role).toBe('alert');
    server.answers.telegram = works;
    await press('Подключить Telegram');
    expect(screen.queryByText(REFUSAL)).toBeNull();
    expect(link()).toBeTruthy();
  });

  it('are offered where it is not known whether they are connected', async () => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    const server = new MessengerServer();
    server.answers.chats = () => claims.problem(500, 'internal', 'Ошибка.');
    await open(server);
    expect(await screen.findByRole('button', { name: 'Подключить Telegram' })).toBeTruthy();
  });
});

it('notifications of a claim stay on when a late payment reopens it, and are forgotten when it is settled', async () => {
  vi.stubGlobal('PushManager', class {});
  vi.stubGlobal('Notification', { permission: 'granted' });
  const pushManager = { getSubscription: async () => ({}) };
  const serviceWorker = { getRegistration: async () => ({ pushManager }) };
  Object.defineProperty(navigator, 'serviceWorker', { value: serviceWorker, configurable: true });
  localStorage.setItem('agio.push', JSON.stringify({ [ID]: CHAT.id }));
  const server = new claims.ClaimServer({ status: 'expired', isFinal: true });
  server.settings.browserNotifications = true;
  await claims.open(`/claim/fail?id=${ID}`, server);
  await screen.findByRole('heading', { level: 1 });
  await server.push({ status: 'late_payment', isFinal: false });
  expect(await screen.findByRole('button', { name: 'Выключить уведомления' })).toBeTruthy();
  await server.push({ status: 'refunded', isFinal: true });
  await screen.findByRole('heading', { name: 'Деньги возвращены' });
  expect(localStorage.getItem('agio.push')).toBeNull();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

it('messages about the claims of an account are connected and disconnected in its settings', async () => {
  const server = new accounts.AccountServer();
  server.settings.messengers = [TELEGRAM];
  server.signIn();
  let chats = [] as (typeof CHAT)[];
  server.answers['GET /users/me/chats/'] = () => Response.json({ chats });
  server.answers['POST /users/me/messengers/telegram/'] = () =>
    Response.json({ link: LINK, expiresAt: new Date(Date.now() + 60_000) });
  await accounts.open('/account/settings', server);
  await screen.findByRole('button', { name: 'Подключить Telegram' });
  expect(screen.getByRole('region', { name: 'Уведомления' }).textContent).toContain('О ваших заявках');
  await press('Подключить Telegram');
  chats = [CHAT];
  await wait(3);
  expect(lineOf(button('Отключить'))).toContain('Сообщения о ваших заявках приходят в Telegram.');
  await press('Отключить');
  expect(server.of(`DELETE /users/me/push/${CHAT.id}/`)).toHaveLength(1);
  expect(button('Подключить Telegram')).toBeTruthy();
});
