import { QueryClient } from '@tanstack/react-query';
import { cleanup, configure, render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { AdminContext, Notification } from 'react-admin';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { afterEach, beforeEach, vi } from 'vitest';
import { session } from '../api/api.ts';
import { authProvider } from '../api/authProvider.ts';
import { dataProvider } from '../api/dataProvider.ts';
import { queryClient } from '../api/queryClient.ts';
import { i18nProvider } from '../i18n/provider.ts';
import { forgetKept } from '../ui/useKept.ts';

// A simulated browser on a busy machine is slow: waiting may take long.
configure({ asyncUtilTimeout: 20_000 });

type Call = {
  method: string;
  path: string;
  query: Record<string, string>;
  key: string | null;
  type: string | null;
  body: unknown;
};
type Reply = { status?: number; body?: unknown } | Promise<{ status?: number; body?: unknown }>;

const PREFIX = '/api/admin/v1';

/** A server in the place of `fetch`: what it answers by `METHOD /path`, and the calls it received. */
export class FakeServer {
  readonly calls: Call[] = [];
  private readonly replies = new Map<string, (call: Call) => Reply>();

  on(operation: string, reply: (call: Call) => Reply): void {
    this.replies.set(operation, reply);
  }

  /** The calls of one operation. */
  of(operation: string): Call[] {
    return this.calls.filter(({ method, path }) => `${method} ${path}` === operation);
  }

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(new URL(String(input), location.href), init);
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.text();
    const call: Call = {
      method: request.method,
      path: pathname.replace(PREFIX, ''),
      query: Object.fromEntries(searchParams),
      key: request.headers.get('Idempotency-Key'),
      type: request.headers.get('Content-Type'),
      body: text === '' ? undefined : isJson(request) ? JSON.parse(text) : text,
    };
    this.calls.push(call);
    const reply = this.replies.get(`${call.method} ${call.path}`);
    const { status = 200, body } = (await reply?.(call)) ?? { status: 404, body: { code: 'not_found' } };
    return new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { 'Content-Type': 'application/json' },
    });
  };
}

const isJson = (request: Request): boolean => request.headers.get('Content-Type') === 'application/json';

/** Replaces `fetch` by a new server before each test. */
export function fakeServer(): { current: FakeServer } {
  const server = { current: new FakeServer() };
  beforeEach(() => {
    server.current = new FakeServer();
    vi.stubGlobal('fetch', server.current.fetch);
  });
  afterEach(() => {
    cleanup();
    forgetKept();
    vi.unstubAllGlobals();
  });
  return server;
}

/** A staff member with these permissions, as signing in returns them. */
export const signInAnswer = (...permissions: string[]) => ({
  accessToken: 'token',
  expiresIn: 600,
  user: {
    id: '1',
    email: 'vera@agio.example',
    name: 'Vera',
    role: 'operator' as const,
    permissions,
    language: 'en' as const,
    secondFactor: true,
    secondFactorRequired: true,
    setupNeeded: false,
    recoveryCodes: 10,
    freshUntil: null,
  },
});

/** Shows a part of the console to a staff member with these permissions, in English. */
export async function show(
  element: ReactElement,
  { permissions = [], at = '/' }: { permissions?: string[]; at?: string } = {},
) {
  session.enter(signInAnswer(...permissions));
  await i18nProvider.changeLocale('en');
  const shown = (
    <AdminContext
      authProvider={authProvider}
      dataProvider={dataProvider}
      i18nProvider={i18nProvider}
      queryClient={
        new QueryClient({ defaultOptions: { ...queryClient.getDefaultOptions(), queries: { retry: false } } })
      }
    >
      {element}
      <Notification />
    </AdminContext>
  );
  const router = createMemoryRouter([{ path: '*', element: shown }], { initialEntries: [at] });
  return { ...render(<RouterProvider router={router} useTransitions={false} />), router };
}
