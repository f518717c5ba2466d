import { act, render } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import type { Customer, Settings } from '../api/types';
import { Component as Orders } from '../features/account/orders/OrdersPage';
import { Component as Overview } from '../features/account/overview/OverviewPage';
import { Component as SettingsPage } from '../features/account/settings/SettingsPage';
import { Component as Recover } from '../features/recover/RecoverPage';
import type { Locale } from '../i18n/locale';
import { createTexts, loadTexts } from '../i18n/texts';
import { Root } from '../Root';
import { closeAccountDialog } from './accountDialog';
import { show } from './session';
import { leave } from './tabSession';

export interface RecordedCall {
  /** The method and the path below the root: "POST /users/signup/". */
  call: string;
  body: unknown;
  token: string | null;
}

export const ANNA: Customer = {
  id: '5b1f7a52-0c5f-4b59-9d0c-2f9c7a1c2f11',
  email: 'anna@example.com',
  activated: true,
  language: 'ru',
  createdAt: '2024-03-28T12:00:00Z',
  bonus: '0',
  totp: false,
  recoveryCodes: 0,
};

export function refusal(status: number, code: string, detail: string, errors = {}): Response {
  return Response.json({ status, title: detail, detail, code, errors }, { status });
}

/** A server with one customer. */
export class AccountServer {
  calls: RecordedCall[] = [];
  customer = ANNA;
  settings: Partial<Settings> = {
    siteName: 'Agio',
    supportEmail: 'help@example.com',
    usePublicId: true,
    messengers: [],
  };
  isLive = false;
  /** Answers of single calls instead of the usual ones. */
  answers: Record<string, (body: Record<string, string>) => Response | undefined> = {};
  #tokens = 0;

  readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const path = String(address)
      .replace(/^(\/en)?(\/api\/v1)?(?=\/)/, '')
      .replace(/\?.*$/, '');
    const call = `${init.method ?? 'GET'} ${path}`;
    const token = new Headers(init.headers).get('Authorization')?.slice('Bearer '.length) ?? null;
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : {};
    this.calls.push({ call, body, token });
    return this.answers[call]?.(body) ?? this.#answer(call, token);
  };

  of(call: string): RecordedCall[] {
    return this.calls.filter((one) => one.call === call);
  }

  signIn(): Response {
    this.isLive = true;
    this.#tokens += 1;
    // biome-ignore lint/suspicious/noDocumentCookie: the answer's cookie is set as a browser would.
    document.cookie = 'agio_session=1; path=/';
    return Response.json({ accessToken: `token-${this.#tokens}`, expiresIn: 600, user: this.customer });
  }

  #answer(call: string, token: string | null): Response {
    if (call.includes(' /users/me/') && token !== `token-${this.#tokens}`) {
      return refusal(401, 'token_not_valid', 'Войдите снова.');
    }
    switch (call) {
      case 'GET /front-api/auth/captcha/':
        return Response.json({ required: false, challenge: null });
      case 'POST /front-api/auth/login/':
        return this.signIn();
      case 'GET /front-api/auth/refresh/':
        return this.isLive ? this.signIn() : refusal(401, 'token_not_valid', 'Войдите снова.');
      case 'GET /users/me/':
        return Response.json(this.customer);
      case 'GET /users/me/claims/':
        return Response.json({ items: [], page: 1, size: 20, total: 0 });
      case 'GET /users/me/sessions/':
        return Response.json([]);
      case 'GET /users/me/requisites/':
      case 'GET /users/me/verifications/':
        return Response.json({ items: [] });
      case 'GET /calculator/':
        return Response.json({ directions: [] });
      case 'GET /calculator/settings/':
        return Response.json(this.settings);
      case 'GET /calculator/tech/':
        return Response.json({ technicalMode: { on: false, time: null }, claimsPaused: false });
      default:
        return call.startsWith('POST /users/me/') || call.startsWith('DELETE') || call.endsWith('/logout/')
          ? new Response(null, { status: 204 })
          : Response.json({ notification: { title: 'Уведомление', message: 'Сделано.' } });
    }
  }
}

export async function open(path: string, server: AccountServer, locale: Locale = 'ru') {
  vi.stubGlobal('fetch', server.fetch);
  const texts = await createTexts(locale);
  await Promise.all((['account', 'push'] as const).map((feature) => loadTexts(texts, feature)));
  const children = [
    { index: true, element: <p>home</p> },
    { path: 'account', Component: Overview },
    { path: 'account/orders', Component: Orders },
    { path: 'account/settings', Component: SettingsPage },
    { path: 'recover', Component: Recover },
  ];
  const router = createMemoryRouter(
    [{ path: locale === 'en' ? '/en' : '/', element: <Root locale={locale} texts={texts} />, children }],
    { initialEntries: [path] },
  );
  await act(async () => {
    render(<RouterProvider router={router} />);
  });
  return router;
}

/** Ends the session for the next test. */
export function forget(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: a browser without a session.
  document.cookie = 'agio_session=; path=/; max-age=0';
  closeAccountDialog();
  leave();
  show({ phase: 'unknown' });
}
