import { type AdminClient, adminClient } from '@agio/client/admin';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { may } from './access.ts';
import { Confirmation } from './confirmation.ts';
import { parseChange, waitBefore } from './live.ts';
import { messageOf, Problem, problemOf } from './problem.ts';
import { ServerEvents } from './serverEvents.ts';
import { Session } from './session.ts';
import { Transport } from './transport.ts';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

const OPENED = {
  accessToken: 'fresh',
  expiresIn: 600,
  user: {
    id: '1',
    email: 'a@example.org',
    name: 'Anna',
    role: 'operator' as const,
    permissions: ['claims.read'],
    language: 'ru' as const,
    secondFactor: true,
    secondFactorRequired: true,
    setupNeeded: false,
    recoveryCodes: 10,
    freshUntil: null,
  },
};

/** Where the tests' server is: outside a page a request needs a whole address. */
const ORIGIN = 'http://127.0.0.1';
const pathOf = (request: RequestInfo | URL) =>
  new URL(request instanceof Request ? request.url : request, ORIGIN).pathname;

/** The console's API over a server that answers as `call` does. */
function apiOver(call: typeof fetch, language = 'ru') {
  return adminClient(new Transport(new Session(call), () => language, call).fetch, ORIGIN);
}

describe('a session that expires', () => {
  it('is renewed once for all calls, and each is retried once, whole', async () => {
    const paths: string[] = [];
    const bodies: string[] = [];
    const api = apiOver(async (request) => {
      paths.push(pathOf(request));
      if (!(request instanceof Request)) return answer(200, OPENED);
      bodies.push(await request.text());
      const fresh = request.headers.get('Authorization') === 'Bearer fresh';
      return fresh ? answer(200, { on: true, time: null }) : answer(401, { code: 'token_not_valid' });
    });
    const both = await Promise.all([api.GET('/tech'), api.PUT('/tech', { body: { on: true, time: null } })]);
    expect(both.map(({ data }) => data)).toEqual([
      { on: true, time: null },
      { on: true, time: null },
    ]);
    expect(paths.filter((path) => path.endsWith('/auth/refresh'))).toHaveLength(1);
    expect(paths).toHaveLength(5);
    expect(bodies.filter((body) => body === '{"on":true,"time":null}')).toHaveLength(2);
  });

  it('ends when the cookie is not accepted either, and its listeners are called', async () => {
    const call = async (request: RequestInfo | URL) =>
      pathOf(request).endsWith('/auth/login') ? answer(200, OPENED) : answer(401, { code: 'token_not_valid' });
    const session = new Session(call);
    await session.signIn('a@example.org', 'secret', 'ru');
    const users: unknown[] = [];
    session.listen((user) => users.push(user));
    const api = adminClient(new Transport(session, () => 'ru', call).fetch, ORIGIN);
    await expect(api.GET('/dashboard')).rejects.toMatchObject({ status: 401, code: 'token_not_valid' });
    expect(users).toEqual([null]);
    expect(session.accessToken).toBeNull();
  });

  it('stays when the server failed', async () => {
    const call = async () => answer(503, { code: 'storage_unavailable' });
    await expect(new Session(call).refresh()).rejects.toMatchObject({ status: 503 });
  });

  it('is not renewed for other refusals', async () => {
    const paths: string[] = [];
    const api = apiOver(async (request) => {
      paths.push(pathOf(request));
      return answer(403, { code: 'forbidden', detail: 'Нужно право claims.process.' });
    });
    await expect(api.POST('/claims/{id}/lock', { params: { path: { id: '1' } } })).rejects.toMatchObject({
      message: 'Нужно право claims.process.',
    });
    expect(paths).toHaveLength(1);
  });
});

describe('a call that needs a confirmed session', () => {
  const update = (api: AdminClient) =>
    api.PATCH('/requisites/{id}', { params: { path: { id: '1' } }, body: { value: 'typed' } });

  /** A server that accepts a change once the session is confirmed. */
  function guarded() {
    const bodies: string[] = [];
    const confirmation = new Confirmation();
    let isFresh = false;
    const call: typeof fetch = async (request) => {
      if (request instanceof Request) bodies.push(await request.text());
      return isFresh ? answer(200, { id: '1' }) : answer(403, { code: 'fresh_second_factor_needed' });
    };
    const transport = new Transport(new Session(call), () => 'ru', call, confirmation.request);
    const confirm = () => {
      isFresh = true;
      confirmation.resolve(true);
    };
    return { api: adminClient(transport.fetch, ORIGIN), bodies, confirmation, confirm };
  }

  it('is confirmed once for all calls that wait, and each is retried whole', async () => {
    const { api, bodies, confirmation, confirm } = guarded();
    let requests = 0;
    confirmation.listen(() => {
      requests += Number(confirmation.isRequested());
    });
    const both = Promise.all([update(api), update(api)]);
    await expect.poll(() => confirmation.isRequested()).toBe(true);
    await expect.poll(() => bodies.length).toBe(2);
    confirm();
    await both;
    expect(requests).toBe(1);
    expect(bodies).toEqual(Array(4).fill('{"value":"typed"}'));
  });

  it('fails as the server refused it when nobody confirms', async () => {
    const { api, confirmation } = guarded();
    const refused = expect(update(api)).rejects.toMatchObject({ code: 'fresh_second_factor_needed' });
    await expect.poll(() => confirmation.isRequested()).toBe(true);
    confirmation.resolve(false);
    await refused;
    expect(confirmation.isRequested()).toBe(false);
  });
});

describe('a server that hangs', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const silent: typeof fetch = (request, init) => untilAborted(init?.signal ?? (request as Request).signal);
  /** It stops in the middle of its answer. */
  const halting: typeof fetch = async (request) => {
    const answered = new Response('{');
    answered.arrayBuffer = () => untilAborted((request as Request).signal);
    return answered;
  };
  const codeAfter = async (milliseconds: number, work: Promise<unknown>) => {
    const outcome = work.then(
      () => 'done',
      (error: unknown) => (error instanceof Problem ? error.code : error),
    );
    await vi.advanceTimersByTimeAsync(milliseconds);
    return Promise.race([outcome, 'waiting']);
  };

  it.each([
    ['before', silent],
    ['within', halting],
  ])('is given up %s its answer, and a change may have been made', async (_, call) => {
    const api = apiOver(call);
    expect(await codeAfter(59_000, api.GET('/dashboard'))).toBe('waiting');
    expect(await codeAfter(61_000, api.GET('/dashboard'))).toBe('offline');
    expect(await codeAfter(61_000, api.PUT('/tech', { body: { on: true, time: null } }))).toBe('unanswered');
  });

  it('has longer for files, and an event stream has no end', async () => {
    const api = apiOver(silent);
    const bodySerializer = () => new FormData();
    const icon = api.POST('/currency-icons', { body: { file: '' }, bodySerializer });
    expect(await codeAfter(240_000, icon)).toBe('waiting');
    const table = api.GET('/market/tables/{table}', { params: { path: { table: 'pairs' } }, parseAs: 'blob' });
    expect(await codeAfter(240_000, table)).toBe('waiting');
    const transport = new Transport(new Session(silent), () => 'ru', silent);
    const stream = new Request(`${ORIGIN}/api/admin/v1/live`, { headers: { Accept: 'text/event-stream' } });
    expect(await codeAfter(3_600_000, transport.fetch(stream))).toBe('waiting');
  });

  it('does not keep the session from being renewed again', async () => {
    const session = new Session(silent);
    expect(await codeAfter(61_000, session.refresh())).toBe('offline');
    expect(await codeAfter(61_000, session.signOut())).toBe('done');
  });

  it('is left at once by who no longer asks', async () => {
    const abort = new AbortController();
    const asked = codeAfter(1_000, apiOver(silent).GET('/dashboard', { signal: abort.signal }));
    abort.abort('left');
    expect(await asked).toBe('left');
  });
});

describe('a second factor that became required', () => {
  it('is noticed by the first call that is refused for lack of it', async () => {
    const user = { ...OPENED.user, setupNeeded: true };
    const call = async (request: RequestInfo | URL) =>
      pathOf(request).endsWith('/auth/refresh')
        ? answer(200, { ...OPENED, user })
        : answer(403, { code: 'second_factor_setup_needed' });
    const session = new Session(call);
    session.enter({ ...OPENED });
    const api = adminClient(new Transport(session, () => 'ru', call).fetch, ORIGIN);
    await expect(api.GET('/dashboard')).rejects.toMatchObject({ code: 'second_factor_setup_needed' });
    await expect.poll(() => session.user?.setupNeeded).toBe(true);
  });
});

describe('a call', () => {
  /** The request of a call. */
  async function requestOf(make: (api: ReturnType<typeof apiOver>) => Promise<unknown>): Promise<Request> {
    const requests: Request[] = [];
    const record = async (request: RequestInfo | URL) => {
      requests.push(request as Request);
      return answer(200, {});
    };
    await make(apiOver(record, 'en'));
    return requests[0] as Request;
  }

  it('carries language, body and idempotency key', async () => {
    const movement = { amount: '0.1', reason: 'deposit', note: '' } as const;
    const request = await requestOf((api) =>
      api.POST('/reserves/{currencyId}/movements', {
        params: { path: { currencyId: 1 }, header: { 'Idempotency-Key': 'k' } },
        body: movement,
      }),
    );
    expect(request.headers.get('Accept-Language')).toBe('en');
    expect(request.headers.get('Idempotency-Key')).toBe('k');
    expect(await request.json()).toEqual(movement);
  });

  it('leaves out undefined parameters', async () => {
    const request = await requestOf((api) =>
      api.GET('/claims', { params: { query: { group: 'ours', q: undefined, cursor: undefined, size: 50 } } }),
    );
    expect(request.url).toBe(`${ORIGIN}/api/admin/v1/claims?group=ours&size=50`);
  });

  it('cannot leave its path', async () => {
    const request = await requestOf((api) => api.GET('/claims/{id}', { params: { path: { id: '../auth/me?x=1' } } }));
    expect(request.url).toBe(`${ORIGIN}/api/admin/v1/claims/..%2Fauth%2Fme%3Fx%3D1`);
  });
});

describe('a refusal', () => {
  const translate = (key: string) => key;

  it('carries the messages of the server, of each field, and the request id', async () => {
    const problem = await problemOf(
      answer(422, {
        title: 'Проверьте поля',
        detail: 'Проверьте поля.',
        code: 'validation_failed',
        errors: { txId: [{ code: 'required', message: 'Укажите транзакцию.' }] },
        requestId: '01J',
      }),
    );
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed', requestId: '01J' });
    expect(problem.fields).toEqual({ txId: 'Укажите транзакцию.' });
    expect(messageOf(problem, translate)).toBe('Проверьте поля.');
  });

  it('has a message even when it is no problem document', async () => {
    const problem = await problemOf(new Response('<html>', { status: 502, headers: { 'x-request-id': 'r1' } }));
    expect(problem.requestId).toBe('r1');
    expect(messageOf(problem, translate)).toBe('error.server');
    expect(messageOf(new Problem(0, { code: 'offline' }), translate)).toBe('error.offline');
    expect(messageOf(new TypeError('x'), translate)).toBe('error.unexpected');
  });
});

describe('the live stream', () => {
  it('is read whole however it is cut', () => {
    const stream = ': ping\n\nevent: claim\ndata: {"id":"a"}\n\nevent: tech\r\ndata: {"on":true}\r\n\r\n';
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const events = new ServerEvents();
      const read = [...events.push(stream.slice(0, cut)), ...events.push(stream.slice(cut))];
      expect(read).toEqual([
        { name: 'claim', data: '{"id":"a"}' },
        { name: 'tech', data: '{"on":true}' },
      ]);
    }
  });

  it('has known events and skips others', () => {
    expect(parseChange('reserve', '{"currencyId":3}')).toEqual({ event: 'reserve', currencyId: 3 });
    expect(parseChange('market', '')).toEqual({ event: 'market' });
    expect(parseChange('weather', '{}')).toBeNull();
    expect(parseChange('claim', '{')).toBeNull();
  });

  it('waits longer each time, half a minute at most', () => {
    expect([1, 2, 3, 4, 5, 6, 20].map(waitBefore)).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  });
});

describe('access', () => {
  const staff = (permissions: string[]) => ({ ...OPENED.user, permissions });

  it('is by permission: an auditor reads and changes nothing', () => {
    const auditor = staff(['claims.read', 'settings.read', 'market.read']);
    expect(may(auditor, 'claims', 'read')).toBe(true);
    expect(may(auditor, 'claims', 'edit')).toBe(false);
    expect(may(auditor, 'tech', 'edit')).toBe(false);
    expect(may(auditor, 'reserves', 'read')).toBe(false);
    expect(may(null, 'claims', 'read')).toBe(false);
    expect(may(auditor, 'nothing', 'read')).toBe(false);
  });
});
