// @vitest-environment happy-dom
import type { ClaimDraft } from '../../../api/types';
import { asking } from './promo';
import { submitClaim } from './submitClaim';

const draft: ClaimDraft = {
  email: 'anna@example.com',
  fromPs: 1,
  toPs: 14,
  fromSumma: '0.015',
  toSumma: '90185.17',
  fromRequisites: {},
  toRequisites: { card: '4242424242424242' },
  quoteId: 'q1',
};

vi.mock('../../../captcha/captcha', () => ({
  answerTo: async (_: string, check: { challenge: { signature: string } }) => `answer to ${check.challenge.signature}`,
}));

interface Sent {
  key: string | null;
  body: ClaimDraft;
}

/** A server that requires no captcha and answers claims in turn. */
function serve(...answers: (() => Response)[]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    if (address.endsWith('/captchacheck')) {
      return Response.json({ required: false, challenge: null });
    }
    sent.push({
      key: new Headers(init.headers).get('Idempotency-Key'),
      body: JSON.parse(String(init.body)) as ClaimDraft,
    });
    return (answers[sent.length - 1] ?? answers.at(-1))?.() ?? Response.error();
  });
  return sent;
}

const created = () => Response.json({ id: 'a', publicId: '1', status: 'created', expiresAt: null }, { status: 201 });
const lost = (): Response => {
  throw new TypeError('the line is down');
};

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  asking.promo = undefined;
  vi.unstubAllGlobals();
});

const busy = () => Response.json({ status: 409, code: 'idempotency_in_progress' }, { status: 409 });

it.each([
  ['was lost', lost],
  ['came before the first attempt was over', busy],
])('a claim whose answer %s is submitted again with the same key, although the quote is newer', async (_, answer) => {
  const sent = serve(answer, answer, answer, created);
  await expect(submitClaim('ru', draft)).rejects.toThrow();
  await submitClaim('ru', { ...draft, quoteId: 'q2' });
  expect(sent).toEqual(Array(4).fill(sent[0]));
});

it('another amount is another claim', async () => {
  const sent = serve(lost, lost, lost, created);
  await expect(submitClaim('ru', draft)).rejects.toThrow();
  await submitClaim('ru', { ...draft, fromSumma: '0.02' });
  expect(sent[3]?.key).not.toBe(sent[0]?.key);
});

it('after an answer the next claim has a key of its own', async () => {
  const sent = serve(created);
  await submitClaim('ru', draft);
  await submitClaim('ru', draft);
  expect(sent[1]?.key).not.toBe(sent[0]?.key);
});

it('the promo code of the amounts is part of the claim', async () => {
  const sent = serve(created);
  asking.promo = 'SPRING';
  await submitClaim('ru', { ...draft, extras: { amlConsent: true } });
  expect(sent[0]?.body.extras).toEqual({ amlConsent: true, promo: 'SPRING' });
});

it("a claim refused without a captcha is submitted again with the solution of the refusal's captcha", async () => {
  const challenge = { parameters: { nonce: 'n' }, signature: 's' };
  const refused = () =>
    Response.json(
      {
        status: 422,
        title: 'Unprocessable',
        detail: 'Solve it',
        code: 'captcha_required',
        params: { captcha: JSON.stringify({ required: true, challenge, provider: null, siteKey: null }) },
      },
      { status: 422, headers: { 'content-type': 'application/problem+json' } },
    );
  const sent = serve(refused, created);
  await submitClaim('ru', draft);
  expect(sent.map(({ body }) => body.recaptcha)).toEqual([undefined, 'answer to s']);
  expect(sent[1]?.key).not.toBe(sent[0]?.key);
});
