import { act, render } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import type { ClaimForm, ClaimStatus, Settings } from '../../api/types';
import type { Locale } from '../../i18n/locale';
import { createTexts, loadTexts } from '../../i18n/texts';
import { Root } from '../../Root';
import { formFixture, paymentFixture, statusFixture } from './model/fixtures';
import { Component as ClaimById } from './pages/ClaimByIdPage';
import { Component as Fail } from './pages/ClaimFailPage';
import { Component as Claim } from './pages/ClaimPage';
import { Component as Success } from './pages/ClaimSuccessPage';
import { Component as Verify } from './verify/VerifyPage';

export interface RecordedCall {
  method: string;
  path: string;
  body: unknown;
}

/** The page's event stream, driven by the test. */
export class FakeEventSource extends EventTarget {
  static open: FakeEventSource[] = [];
  constructor() {
    super();
    FakeEventSource.open.push(this);
  }
  close(): void {
    FakeEventSource.open = FakeEventSource.open.filter((other) => other !== this);
  }
}

/** A server with one claim. */
export class ClaimServer {
  calls: RecordedCall[] = [];
  form: ClaimForm;
  status: ClaimStatus;
  settings: Partial<Settings> = {
    siteName: 'Agio',
    supportEmail: 'help@example.com',
    termsVersion: '2024-03-01',
    messengers: [],
  };
  /** Answers of single calls instead of the usual ones. */
  answers: Record<string, () => Response> = {};
  #seconds = 0;

  constructor(status: Partial<ClaimStatus>, form: Partial<ClaimForm> = {}) {
    this.status = statusFixture(status);
    this.form = formFixture({ status: this.status.status, ...form });
  }

  /** Changes the claim and pushes its status. */
  async push(changes: Partial<ClaimStatus>): Promise<void> {
    this.#seconds += 1;
    const updatedAt = new Date(Date.parse(this.status.updatedAt) + this.#seconds * 1000).toISOString();
    this.status = { ...this.status, actions: [], updatedAt, ...changes };
    this.form = { ...this.form, status: this.status.status };
    await act(async () => {
      const data = JSON.stringify(this.status);
      for (const line of FakeEventSource.open) line.dispatchEvent(new MessageEvent('status', { data }));
    });
  }

  readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const path = String(address).replace(/^.*\/api\/v1/, '');
    const method = init.method ?? 'GET';
    const name = path.split('/').at(-2) ?? '';
    this.calls.push({ method, path, body: typeof init.body === 'string' ? JSON.parse(init.body) : null });
    const special = this.answers[name];
    if (special) return special();
    if (!path.startsWith('/claim/')) return Response.json(this.#about(name));
    if (!path.includes(this.form.id)) return problem(404, 'claim_not_found', 'Такой заявки нет.');
    if (name === 'review') return problem(404, 'review_not_open', 'Отзыв ещё нельзя оставить.');
    if (name === 'form') return Response.json(this.form);
    if (name === 'requisite') return Response.json(paymentFixture({ amount: this.form.from.amount }));
    return Response.json(this.status);
  };

  #about(name: string): unknown {
    if (name === 'settings') return this.settings;
    if (name === 'tech') return { technicalMode: { on: false, time: null } };
    const wallet = { name: 'wallet', label: 'Адрес TON', kind: 'ton', required: true, send: false, receive: true };
    return { structure: { from: { input: [wallet] } } };
  }
}

export function problem(status: number, code: string, detail: string, errors = {}): Response {
  return Response.json({ status, title: detail, detail, code, errors }, { status });
}

/** Opens a page of the site against the server. */
export async function open(path: string, server: ClaimServer, locale: Locale = 'ru') {
  FakeEventSource.open = [];
  vi.stubGlobal('fetch', server.fetch);
  vi.stubGlobal('EventSource', FakeEventSource);
  const texts = await createTexts(locale);
  await Promise.all((['claim', 'push'] as const).map((feature) => loadTexts(texts, feature)));
  const home = { path: '', element: <p>home</p> };
  const router = createMemoryRouter(
    [
      {
        path: locale === 'en' ? '/en' : '/',
        element: <Root locale={locale} texts={texts} />,
        children: [
          home,
          { path: 'claim', Component: Claim },
          { path: 'claim/success', Component: Success },
          { path: 'claim/fail', Component: Fail },
          { path: 'claim/:id', Component: ClaimById },
          { path: 'verify/:id', Component: Verify },
        ],
      },
    ],
    { initialEntries: [path] },
  );
  await act(async () => {
    render(<RouterProvider router={router} />);
  });
  await act(async () => {
    const data = JSON.stringify(server.status);
    for (const line of FakeEventSource.open) line.dispatchEvent(new MessageEvent('status', { data }));
  });
  return router;
}
