// A partner of the house on Node 20 or later, with nothing but what is built in.
// AGIO_ROOT, AGIO_KEY and AGIO_SECRET say where the house is and who calls. Run with a sandbox key first: it moves no money.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const { AGIO_ROOT: root = '', AGIO_KEY: key = '', AGIO_SECRET: secret = '' } = process.env;

type Query = Record<string, string>;
type Call = { method: 'GET' | 'POST'; path: string; query?: Query; body?: unknown; once?: string };

let ahead = 0;
const now = () => Math.floor(Date.now() / 1000) + ahead;

/** Measures how far the house's clock is from ours. The one call that is not signed. */
async function setClock(): Promise<void> {
  const time = (await (await fetch(`${root}/api/partner/v1/time/`)).json()) as { seconds: number };
  ahead += time.seconds - now();
}

/** Every byte but letters, digits and -._~ as %XX. */
const quoted = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** Makes a call. Where the connection is lost, make it again with the same `once`: the house does it once. */
async function call<Answer>({ method, path, query = {}, body, once }: Call): Promise<Answer> {
  const pairs = Object.entries(query).map(([name, value]) => `${quoted(name)}=${quoted(value)}`);
  const canonical = pairs.sort().join('&');
  const content = body === undefined ? '' : JSON.stringify(body);
  const timestamp = String(now());
  const nonce = randomBytes(12).toString('hex');
  const digest = createHash('sha256').update(content).digest('hex');
  const text = ['v1', method, path, canonical, digest, timestamp, nonce].join('\n');
  const headers: Record<string, string> = {
    'X-Agio-Key': key,
    'X-Agio-Timestamp': timestamp,
    'X-Agio-Nonce': nonce,
    'X-Agio-Signature': `v1=${createHmac('sha256', secret).update(text).digest('hex')}`,
  };
  if (content) headers['Content-Type'] = 'application/json';
  if (once) headers['Idempotency-Key'] = once;
  const target = root + path + (canonical ? `?${canonical}` : '');
  const response = await fetch(target, { method, headers, body: content || undefined });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${(answer as { code: string }).code}`);
  return answer as Answer;
}

/** Whether news come from the house. `body` is the text as it came, before anything reads it. */
export function isGenuine(webhookSecret: string, header: (name: string) => string, body: string): boolean {
  const timestamp = header('X-Agio-Timestamp');
  const text = `v1\n${timestamp}\n${header('X-Agio-Event')}\n${header('X-Agio-Attempt')}\n${body}`;
  const made = Buffer.from(`v1=${createHmac('sha256', webhookSecret).update(text).digest('hex')}`);
  const given = Buffer.from(header('X-Agio-Signature'));
  return Math.abs(now() - Number(timestamp)) <= 300 && made.length === given.length && timingSafeEqual(made, given);
}

type Pair = { from: string; to: string; fromSumma: { min: string } };
type Quote = { id: string; fromSumma: string; toSumma: string };
type Claim = { id: string; status: string; isFinal: boolean; payment: { value: string } | null };

await setClock();
const query = { from: 'BTC', to: 'SBERRUB' };
const [pair] = await call<Pair[]>({ method: 'GET', path: '/api/partner/v1/pairs/', query });
if (!pair) throw new Error('the pair is not offered now');
const wish = { ...query, fromSumma: pair.fromSumma.min };
const quote = await call<Quote>({ method: 'POST', path: '/api/partner/v1/quotes/', body: wish });
const reference = `order-${randomBytes(4).toString('hex')}`;
const order = {
  ...query,
  fromSumma: quote.fromSumma,
  toSumma: quote.toSumma,
  quoteId: quote.id,
  email: 'customer@example.com',
  toRequisites: { card: '2200000000000004', holder: 'IVAN PETROV' },
  reference,
  amlConsent: true,
};
const made = await call<Claim>({ method: 'POST', path: '/api/partner/v1/claims/', body: order, once: reference });
console.log('pay', quote.fromSumma, query.from, 'to', made.payment?.value);
const claim = await call<Claim>({ method: 'GET', path: `/api/partner/v1/claims/${made.id}/` });
console.log(JSON.stringify({ id: claim.id, status: claim.status, isFinal: claim.isFinal }));
