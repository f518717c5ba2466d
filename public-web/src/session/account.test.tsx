// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { BRAND } from '../brand';
import { statusFixture } from '../features/claim/model/fixtures';
import { AccountServer, ANNA, forget, open, refusal } from './testing';

const SURPLUS = { amount: '0.005', currency: 'BTC', fee: '0', tooSmall: false, offer: null, destination: 'bc1q…mdq' };

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name, { selector: 'input' });
const dialog = (name: string) => screen.findByRole('dialog', { name });

function fill(name: string, value: string): void {
  fireEvent.change(field(name), { target: { value } });
}

async function press(name: string, within_: HTMLElement = document.body): Promise<void> {
  await act(async () => {
    fireEvent.click(within(within_).getByRole('button', { name }));
  });
}

/** The message under a field. */
const noteOf = (name: string) => {
  const id = field(name).getAttribute('aria-describedby');
  return id ? document.getElementById(id)?.textContent : null;
};

async function signIn(): Promise<void> {
  const box = await dialog('Вход');
  fill('Электронная почта', ' anna@example.com ');
  fill('Пароль', 'correct horse battery');
  await press('Войти', box);
}

// The dialogs and the menu are chunks of their own, preloaded because loading them takes long on a busy machine.
beforeAll(() => Promise.all([import('../features/account/dialogs/Dialogs'), import('./AccountMenu')]));

afterEach(() => {
  cleanup();
  forget();
  vi.unstubAllGlobals();
});

describe('the pages of the account', () => {
  it('redirect a guest to the dialog, and back after signing in', async () => {
    const server = new AccountServer();
    const router = await open('/account/orders?page=2', server);
    expect(await screen.findByText('home')).toBeTruthy();
    await signIn();
    await screen.findByRole('heading', { name: 'Заявок пока нет' });
    expect(router.state.location.pathname + router.state.location.search).toBe('/account/orders?page=2');
    expect(server.of('POST /front-api/auth/login/')[0]?.body).toEqual({
      email: 'anna@example.com',
      password: 'correct horse battery',
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    expect(server.of('GET /users/me/claims/')[0]?.token).toBe('token-1');
  });

  it('restore the session before they show anything', async () => {
    const server = new AccountServer();
    server.signIn();
    await open('/account', server);
    expect(await screen.findAllByText('anna@example.com')).toHaveLength(3);
    expect(server.of('GET /front-api/auth/refresh/')).toHaveLength(1);
  });

  it.each([
    ['refund_pending', null, 'Готовим возврат'],
    ['refund_pending', SURPLUS, 'Готовим возврат излишка'],
    ['refund_sent', null, 'Возврат в пути'],
    ['refund_sent', SURPLUS, 'Излишек в пути'],
  ] as const)('tell a refund from a surplus: %s, %o', async (status, surplus, text) => {
    const claim = statusFixture({ status, surplus, expiresAt: null });
    const { id, publicId } = claim;
    const [from, to] = [
      { code: 'BTC', amount: '0.02' },
      { code: 'SBERRUB', amount: '90000' },
    ];
    const items = [{ id, publicId, status, from, to, createdAt: '2026-11-21T14:15:00Z' }];
    const server = new AccountServer();
    server.answers['GET /users/me/claims/'] = () => Response.json({ items, page: 1, size: 20, total: 1 });
    server.answers[`GET /claim/${id}/status/`] = () => Response.json(claim);
    server.signIn();
    await open('/account/orders', server);
    const bar = await screen.findByRole('navigation', { name: 'Открытые заявки' });
    expect(within(bar).getByText(text)).toBeTruthy();
    expect(await within(screen.getByRole('region', { name: 'Заявки' })).findByText(text)).toBeTruthy();
  });

  it('redirect home, and back, when the session ends by itself', async () => {
    const server = new AccountServer();
    server.signIn();
    const router = await open('/account/settings', server);
    await screen.findByRole('heading', { name: 'Где вы вошли' });
    server.isLive = false;
    server.answers['POST /users/me/password/'] = () => refusal(401, 'token_not_valid', 'Войдите снова.');
    fill('Текущий пароль', 'correct horse battery');
    fill('Новый пароль', 'another horse battery');
    await press('Сменить пароль');
    await screen.findByText(/^Сеанс завершён\. Войдите снова/);
    expect(router.state.location.pathname).toBe('/');
    expect(router.state.location.state).toEqual({
      dialog: { kind: 'signIn', back: '/account/settings', lost: true },
    });
    expect(document.cookie).not.toContain('agio_session');
  });

  it('redirect home without a dialog when the customer signs out', async () => {
    const server = new AccountServer();
    server.signIn();
    const router = await open('/account', server);
    await press('Кабинет, anna@example.com');
    await press('Выйти');
    expect(await screen.findByText('home')).toBeTruthy();
    expect(router.state.location.state).toBeNull();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(server.of('POST /front-api/auth/logout/')).toHaveLength(1);
  });

  it('offer another activation link before it was used', async () => {
    const server = new AccountServer();
    server.customer = { ...ANNA, activated: false };
    server.signIn();
    await open('/account', server);
    await screen.findByText(/^Подтвердите адрес почты/);
    await press('Отправить ещё раз');
    expect(await screen.findByText('Сделано.')).toBeTruthy();
    expect(server.of('POST /users/reactivate/')[0]).toMatchObject({ body: {}, token: 'token-2' });
  });
});

describe('an exchange that sends no emails', () => {
  beforeEach(() => {
    BRAND.sendsEmails = false;
  });
  afterEach(() => {
    BRAND.sendsEmails = undefined;
  });

  it('promises none after a sign-up', async () => {
    const server = new AccountServer();
    await open('/account', server);
    await press('Регистрация', await dialog('Вход'));
    const box = await dialog('Регистрация');
    fill('Электронная почта', 'anna@example.com');
    fill('Пароль', 'correct horse battery');
    await press('Зарегистрироваться', box);
    const sent = await dialog('Письмо не придёт');
    expect(within(sent).getByText(/^Сейчас мы не отправляем письма/)).toBeTruthy();
    expect(within(sent).queryByText(/Спам/)).toBeNull();
    expect(within(sent).queryByRole('button', { name: 'Отправить ещё раз' })).toBeNull();
  });

  it('offers no activation link', async () => {
    const server = new AccountServer();
    server.customer = { ...ANNA, activated: false };
    server.signIn();
    await open('/account', server);
    expect(await screen.findByText(/^Сейчас мы не отправляем письма/)).toBeTruthy();
    expect(screen.queryByText(/^Подтвердите адрес почты/)).toBeNull();
    expect(screen.queryByRole('button', { name: 'Отправить ещё раз' })).toBeNull();
  });
});

describe('signing in', () => {
  it("shows the server's text", async () => {
    const server = new AccountServer();
    server.answers['POST /front-api/auth/login/'] = () =>
      refusal(401, 'wrong_credentials', 'Почта или пароль не подходят.');
    await open('/account', server);
    await signIn();
    expect(await screen.findByText('Почта или пароль не подходят.')).toBeTruthy();
    expect(field('Пароль').value).toBe('correct horse battery');
  });

  it('requires a code where the account has one', async () => {
    const server = new AccountServer();
    server.answers['POST /front-api/auth/login/'] = ({ otp }) => {
      if (!otp) return refusal(401, 'otp_required', 'Введите код.');
      return otp === '123456' ? undefined : refusal(401, 'otp_invalid', 'Код не подходит.');
    };
    const router = await open('/account', server);
    await signIn();
    const box = await dialog('Введите код');
    fill('Код из приложения', '000000');
    await press('Войти', box);
    await waitFor(() => expect(noteOf('Код из приложения')).toBe('Код не подходит.'));
    fill('Код из приложения', '123456');
    await press('Войти', box);
    await waitFor(() => expect(router.state.location.pathname).toBe('/account'));
  });

  it('is not submitted while a field is empty', async () => {
    const server = new AccountServer();
    await open('/account', server);
    await press('Войти', await dialog('Вход'));
    expect(noteOf('Электронная почта')).toBe('Заполните это поле');
    expect(noteOf('Пароль')).toBe('Заполните это поле');
    expect(server.of('POST /front-api/auth/login/')).toEqual([]);
  });
});

describe('signing up', () => {
  it("shows the server's errors at their fields, and then that an email was sent", async () => {
    const server = new AccountServer();
    const words = { password_common: 'Такой пароль легко подобрать.', bad_email: 'Это не адрес.' };
    server.answers['POST /users/signup/'] = () =>
      refusal(422, 'validation_failed', 'Проверьте поля.', {
        email: [{ code: 'bad_email', message: words.bad_email }],
        password: [{ code: 'password_common', message: words.password_common }],
      });
    await open('/account', server);
    await press('Регистрация', await dialog('Вход'));
    const box = await dialog('Регистрация');
    const data = within(box).getByRole('link', { name: 'правилах обмена' });
    expect(data.getAttribute('href')).toBe('/rules#personal-data');
    fill('Электронная почта', 'anna@example.com');
    fill('Пароль', 'password12');
    await press('Зарегистрироваться', box);
    await waitFor(() => expect(noteOf('Электронная почта')).toBe(words.bad_email));
    expect(noteOf('Пароль')).toBe(words.password_common);
    expect(screen.queryByText('Проверьте поля.')).toBeNull();
    server.answers = {};
    await press('Зарегистрироваться', box);
    expect(await dialog('Проверьте почту')).toBeTruthy();
    expect(screen.getByText('Сделано.')).toBeTruthy();
  });

  it('refuses a mistyped address and a short password at once, without a request', async () => {
    const server = new AccountServer();
    await open('/account', server);
    await press('Регистрация', await dialog('Вход'));
    fill('Электронная почта', 'anna@example');
    fill('Пароль', '123456789');
    await press('Зарегистрироваться');
    expect(noteOf('Электронная почта')).toMatch(/^Проверьте адрес почты/);
    expect(noteOf('Пароль')).toBe('Пароль должен быть длиной от 10 до 128 знаков.');
    expect(server.of('POST /users/signup/')).toEqual([]);
  });
});

describe('the link of the activation email', () => {
  it("asks for the password first, is used once, and shows the server's text", async () => {
    const server = new AccountServer();
    const notification = { title: 'Уведомление', message: 'Аккаунт успешно активирован' };
    server.answers['POST /users/activate/once/'] = () => Response.json({ notification });
    await open('/#activate=once', server);
    expect(within(await dialog('Вход')).getByText(/и адрес будет подтверждён/)).toBeTruthy();
    expect(server.of('POST /users/activate/once/')).toEqual([]);
    await signIn();
    const box = await dialog('Уведомление');
    expect(within(box).getByText('Аккаунт успешно активирован')).toBeTruthy();
    expect(server.of('POST /users/activate/once/').map(({ token }) => token)).toEqual(['token-1']);
  });

  it('that has expired leads to a new one', async () => {
    const server = new AccountServer();
    server.signIn();
    server.answers['POST /users/activate/old/'] = () => refusal(404, 'link_not_valid', 'Ссылка больше не действует.');
    await open('/#activate=old', server);
    const box = await dialog('Адрес не подтверждён');
    expect(within(box).getByText('Ссылка больше не действует.')).toBeTruthy();
    await press('Новая ссылка', box);
    expect(await dialog('Новая ссылка')).toBeTruthy();
  });
});

describe('the settings', () => {
  it('show a refused password at its field', async () => {
    const server = new AccountServer();
    server.signIn();
    server.answers['POST /users/me/password/'] = () =>
      refusal(422, 'validation_failed', 'Проверьте поля.', {
        oldPassword: [{ code: 'wrong_password', message: 'Это не текущий пароль.' }],
      });
    await open('/account/settings', server);
    await screen.findByRole('heading', { name: 'Где вы вошли' });
    fill('Текущий пароль', 'not this one');
    fill('Новый пароль', 'another horse battery');
    await press('Сменить пароль');
    await waitFor(() => expect(noteOf('Текущий пароль')).toBe('Это не текущий пароль.'));
  });

  it('show the recovery codes once the app is set up, also when the account is reloaded', async () => {
    const server = new AccountServer();
    server.signIn();
    server.answers['POST /users/me/totp/'] = () =>
      Response.json({ secret: 'JBSWY3DPEHPK3PXP', url: 'otpauth://totp/A' });
    server.answers['POST /users/me/totp/confirm/'] = () => {
      server.customer = { ...ANNA, totp: true, recoveryCodes: 2 };
      return Response.json({ recoveryCodes: ['AAAA-BBBB', 'CCCC-DDDD'] });
    };
    await open('/account/settings', server);
    await screen.findByRole('heading', { name: 'Вход по коду' });
    await press('Включить');
    fireEvent.change(screen.getAllByLabelText('Текущий пароль', { selector: 'input' })[1] as HTMLElement, {
      target: { value: 'correct horse battery' },
    });
    await press('Продолжить');
    expect(await screen.findByText('JBSW Y3DP EHPK 3PXP')).toBeTruthy();
    fill('Код, который показывает приложение', ' 123456 ');
    await press('Включить');
    expect(await screen.findByText('CCCC-DDDD')).toBeTruthy();
    expect(server.of('POST /users/me/totp/confirm/')[0]?.body).toEqual({ code: '123456' });
    await press('Коды сохранены');
    expect(screen.queryByText('CCCC-DDDD')).toBeNull();
    expect(screen.getByText('Осталось 2 резервных кода.')).toBeTruthy();
  });
});

describe('saved requisites', () => {
  it('are shown masked in the settings and removed there', async () => {
    const server = new AccountServer();
    server.signIn();
    const saved = {
      id: 'k1',
      currencyId: 14,
      code: 'SBERRUB',
      name: 'Сбербанк',
      fields: [{ name: 'card', label: 'Номер карты', kind: 'card', value: '2200 •••• 0004' }],
      createdAt: '2024-03-28T12:00:00Z',
    };
    let items = [saved];
    server.answers['GET /users/me/requisites/'] = () => Response.json({ items });
    await open('/account/settings', server);
    expect(await screen.findByText('2200 •••• 0004')).toBeTruthy();
    items = [];
    await press('Удалить: Сбербанк, 2200 •••• 0004');
    await waitFor(() => expect(screen.queryByText('2200 •••• 0004')).toBeNull());
    expect(server.of('DELETE /users/me/requisites/k1/')).toHaveLength(1);
  });
});

describe('finding a claim', () => {
  it("starts where no claim is remembered and shows the server's answer", async () => {
    const server = new AccountServer();
    server.answers['POST /claim/find/'] = () =>
      Response.json({ title: 'Проверьте почту', message: 'Ссылки отправлены.' });
    await open('/#find', server);
    await screen.findByRole('heading', { name: 'Найти мою заявку' });
    fill('Электронная почта', ' ivan@example.com ');
    await press('Отправить ссылки');
    expect(await screen.findByText('Ссылки отправлены.')).toBeTruthy();
    expect(server.of('POST /claim/find/')[0]?.body).toEqual({ email: 'ivan@example.com' });
  });
});

describe('the menu of the account', () => {
  it('is closed by what is chosen in it, not by a page that comes later', async () => {
    const server = new AccountServer();
    server.signIn();
    const router = await open('/recover', server);
    const button = await screen.findByRole('button', { name: /anna@example.com/ });
    await act(async () => fireEvent.click(button));
    await act(() => router.navigate('/account/orders'));
    await screen.findByRole('heading', { name: 'Заявок пока нет' });
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(button.isConnected).toBe(true);
    const panel = document.getElementById(button.getAttribute('aria-controls') as string) as HTMLElement;
    await act(async () => fireEvent.click(within(panel).getByRole('link', { name: 'Настройки' })));
    expect(button.getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(screen.getByRole('main'));
  });
});

describe('restoring the password', () => {
  it('sets a new one by the link, and leads to signing in', async () => {
    const server = new AccountServer();
    await open('/recover#token=secret', server);
    await screen.findByRole('heading', { name: 'Новый пароль' });
    fill('Новый пароль', 'another horse battery');
    await press('Сохранить пароль');
    await screen.findByText('Сделано.');
    expect(server.of('POST /users/restore/secret/')[0]?.body).toEqual({ password: 'another horse battery' });
    await press('Войти', screen.getByRole('main'));
    expect(await dialog('Вход')).toBeTruthy();
  });

  it('starts again where the link has expired', async () => {
    const server = new AccountServer();
    server.answers['POST /users/restore/old/'] = () => refusal(404, 'link_not_valid', 'Ссылка больше не действует.');
    await open('/recover#token=old', server);
    await screen.findByRole('heading', { name: 'Новый пароль' });
    fill('Новый пароль', 'another horse battery');
    await press('Сохранить пароль');
    await screen.findByText(/^Ссылка больше не действует/);
    fill('Электронная почта', 'anna@example.com');
    await press('Прислать ссылку');
    expect(await screen.findByText('Сделано.')).toBeTruthy();
  });

  it('is for guests', async () => {
    const server = new AccountServer();
    server.signIn();
    const router = await open('/recover#token=secret', server);
    await waitFor(() => expect(router.state.location.pathname).toBe('/account'));
    expect(await screen.findByText(/^Вы уже вошли\./)).toBeTruthy();
  });
});
