import { adminApi } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { may } from './access.ts';
import { Confirmation } from './confirmation.ts';
import { noticeOf, waitBefore } from './live.ts';
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
    role: 'operator',
    permissions: ['claims.read'],
    language: 'ru',
    secondFactor: true,
    secondFactorRequired: true,
    setupNeeded: false,
    recoveryCodes: 10,
    freshUntil: null,
  },
};

/** Where the tests' server is: outside a page a request needs a whole address. */
const ORIGIN = 'http://127.0.0.1';
const pathOf = (asked: RequestInfo | URL) => new URL(asked instanceof Request ? asked.url : asked, ORIGIN).pathname;

/** The console's API over a server that answers as `call` does. */
function apiOver(call: typeof fetch, language = 'ru') {
  return adminApi(new Transport(new Session(call), () => language, call).fetch, ORIGIN);
}

describe('a session that runs out', () => {
  it('is renewed once for all calls that notice, and each is tried once more, whole', async () => {
    const asked: string[] = [];
    const bodies: string[] = [];
    const api = apiOver(async (request) => {
      asked.push(pathOf(request));
      if (!(request instanceof Request)) return answer(200, OPENED);
      bodies.push(await request.text());
      const fresh = request.headers.get('Authorization') === 'Bearer fresh';
      return fresh ? answer(200, { on: true, time: null }) : answer(401, { code: 'token_not_valid' });
    });
    const both = await Promise.all([api.tech(), api.setTech({ on: true, time: null })]);
    expect(both).toEqual([
      { on: true, time: null },
      { on: true, time: null },
    ]);
    expect(asked.filter((path) => path.endsWith('/auth/refresh'))).toHaveLength(1);
    expect(asked).toHaveLength(5);
    expect(bodies.filter((body) => body === '{"on":true,"time":null}')).toHaveLength(2);
  });

  it('ends when the cookie is no good either, and says so to those who listen', async () => {
    const call = async (request: RequestInfo | URL) =>
      pathOf(request).endsWith('/auth/login') ? answer(200, OPENED) : answer(401, { code: 'token_not_valid' });
    const session = new Session(call);
    await session.signIn('a@example.org', 'secret', 'ru');
    const heard: unknown[] = [];
    session.listen((user) => heard.push(user));
    const api = adminApi(new Transport(session, () => 'ru', call).fetch, ORIGIN);
    await expect(api.dashboard()).rejects.toMatchObject({ status: 401, code: 'token_not_valid' });
    expect(heard).toEqual([null]);
    expect(session.accessToken).toBeNull();
  });

  it('stays when the server merely failed', async () => {
    const call = async () => answer(503, { code: 'storage_unavailable' });
    await expect(new Session(call).refresh()).rejects.toMatchObject({ status: 503 });
  });

  it('is not renewed for other refusals', async () => {
    const asked: string[] = [];
    const api = apiOver(async (request) => {
      asked.push(pathOf(request));
      return answer(403, { code: 'forbidden', detail: 'Нужно право claims.process.' });
    });
    await expect(api.lockClaim('1')).rejects.toMatchObject({ message: 'Нужно право claims.process.' });
    expect(asked).toHaveLength(1);
  });
});

describe('a step that asks who is there', () => {
  /** A server that takes a change once the person confirmed. */
  function guarded() {
    const bodies: string[] = [];
    const confirmation = new Confirmation();
    let isFresh = false;
    const call: typeof fetch = async (request) => {
      if (request instanceof Request) bodies.push(await request.text());
      return isFresh ? answer(200, { id: '1' }) : answer(403, { code: 'fresh_second_factor_needed' });
    };
    const transport = new Transport(new Session(call), () => 'ru', call, confirmation.ask);
    const confirm = () => {
      isFresh = true;
      confirmation.answer(true);
    };
    return { api: adminApi(transport.fetch, ORIGIN), bodies, confirmation, confirm };
  }

  it('is asked about once for all calls that wait, and each goes on whole', async () => {
    const { api, bodies, confirmation, confirm } = guarded();
    let asked = 0;
    confirmation.listen(() => {
      asked += Number(confirmation.isAsked());
    });
    const both = Promise.all([
      api.updateRequisite('1', { value: 'typed' }),
      api.updateRequisite('1', { value: 'typed' }),
    ]);
    await expect.poll(() => confirmation.isAsked()).toBe(true);
    await expect.poll(() => bodies.length).toBe(2);
    confirm();
    await both;
    expect(asked).toBe(1);
    expect(bodies).toEqual(Array(4).fill('{"value":"typed"}'));
  });

  it('is refused as the server refused it when nobody confirms', async () => {
    const { api, confirmation } = guarded();
    const refused = expect(api.updateRequisite('1', {})).rejects.toMatchObject({ code: 'fresh_second_factor_needed' });
    await expect.poll(() => confirmation.isAsked()).toBe(true);
    confirmation.answer(false);
    await refused;
    expect(confirmation.isAsked()).toBe(false);
  });
});

describe('a second factor that became required', () => {
  it('is noticed by the first call that is refused for the want of it', async () => {
    const user = { ...OPENED.user, setupNeeded: true };
    const call = async (request: RequestInfo | URL) =>
      pathOf(request).endsWith('/auth/refresh')
        ? answer(200, { ...OPENED, user })
        : answer(403, { code: 'second_factor_setup_needed' });
    const session = new Session(call);
    session.enter({ ...OPENED });
    const api = adminApi(new Transport(session, () => 'ru', call).fetch, ORIGIN);
    await expect(api.dashboard()).rejects.toMatchObject({ code: 'second_factor_setup_needed' });
    await expect.poll(() => session.user?.setupNeeded).toBe(true);
  });
});

describe('a call', () => {
  /** What was sent by a call. */
  async function sentBy(make: (api: ReturnType<typeof apiOver>) => Promise<unknown>): Promise<Request> {
    const sent: Request[] = [];
    const record = async (request: RequestInfo | URL) => {
      sent.push(request as Request);
      return answer(200, {});
    };
    await make(apiOver(record, 'en'));
    return sent[0] as Request;
  }

  it('carries language, body and idempotency key', async () => {
    const movement = { amount: '0.1', reason: 'deposit', note: '' } as const;
    const sent = await sentBy((api) => api.moveReserve(1, movement, 'k'));
    expect(sent.headers.get('Accept-Language')).toBe('en');
    expect(sent.headers.get('Idempotency-Key')).toBe('k');
    expect(await sent.json()).toEqual(movement);
  });

  it('leaves out what was not asked', async () => {
    const sent = await sentBy((api) => api.claims({ group: 'ours', q: undefined, cursor: undefined, size: 50 }));
    expect(sent.url).toBe(`${ORIGIN}/api/admin/v1/claims?group=ours&size=50`);
  });

  it('cannot leave its path', async () => {
    const sent = await sentBy((api) => api.claim('../auth/me?x=1'));
    expect(sent.url).toBe(`${ORIGIN}/api/admin/v1/claims/..%2Fauth%2Fme%3Fx%3D1`);
  });
});

describe('a refusal', () => {
  const translate = (key: string) => key;

  it('keeps the words of the server, of each field and the request id', async () => {
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

  it('has words even when it is no problem document', async () => {
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
      const told = [...events.push(stream.slice(0, cut)), ...events.push(stream.slice(cut))];
      expect(told).toEqual([
        { name: 'claim', data: '{"id":"a"}' },
        { name: 'tech', data: '{"on":true}' },
      ]);
    }
  });

  it('understands its own notices and passes over others', () => {
    expect(noticeOf('reserve', '{"currencyId":3}')).toEqual({ event: 'reserve', currencyId: 3 });
    expect(noticeOf('market', '')).toEqual({ event: 'market' });
    expect(noticeOf('weather', '{}')).toBeNull();
    expect(noticeOf('claim', '{')).toBeNull();
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
