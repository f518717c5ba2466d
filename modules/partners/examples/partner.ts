// A partner API client for Node 20 or later, without dependencies.
// Set AGIO_ROOT, AGIO_KEY and AGIO_SECRET. Start with a sandbox key: it moves no money.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const { AGIO_ROOT: root = '', AGIO_KEY: key = '', AGIO_SECRET: secret = '' } = process.env;

type Query = Record<string, string>;
type ApiRequest = { method: 'GET' | 'POST'; path: string; query?: Query; body?: unknown; idempotencyKey?: string };

let clockOffset = 0;
const now = () => Math.floor(Date.now() / 1000) + clockOffset;

/** Measures the offset of the server clock. The only unsigned request. */
async function syncClock(): Promise<void> {
  const time = (await (await fetch(`${root}/api/partner/v1/time/`)).json()) as { seconds: number };
  clockOffset += time.seconds - now();
}

/** Encodes every byte except letters, digits and -._~ as %XX. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Sends a request. After a lost connection, repeat it with the same `idempotencyKey`: it takes effect once. */
async function request<T>({ method, path, query = {}, body, idempotencyKey }: ApiRequest): Promise<T> {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
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
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  const target = root + path + (canonical ? `?${canonical}` : '');
  const response = await fetch(target, { method, headers, body: content || undefined });
  const result = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${(result as { code: string }).code}`);
  return result as T;
}

/** Verifies the signature of a webhook. `body` is the raw request body. */
export function isGenuine(webhookSecret: string, header: (name: string) => string, body: string): boolean {
  const timestamp = header('X-Agio-Timestamp');
  const text = `v1\n${timestamp}\n${header('X-Agio-Event')}\n${header('X-Agio-Attempt')}\n${body}`;
  const expected = Buffer.from(`v1=${createHmac('sha256', webhookSecret).update(text).digest('hex')}`);
  const given = Buffer.from(header('X-Agio-Signature'));
  return Math.abs(now() - Number(timestamp)) <= 300 && expected.length === given.length && timingSafeEqual(expected, given);
}

type Pair = { from: string; to: string; fromSumma: { min: string } };
type Quote = { id: string; fromSumma: string; toSumma: string };
type Claim = { id: string; status: string; isFinal: boolean; payment: { value: string } | null };

await syncClock();
const query = { from: 'BTC', to: 'SBERRUB' };
const [pair] = await request<Pair[]>({ method: 'GET', path: '/api/partner/v1/pairs/', query });
if (!pair) throw new Error('the pair is not available');
const quoteRequest = { ...query, fromSumma: pair.fromSumma.min };
const quote = await request<Quote>({ method: 'POST', path: '/api/partner/v1/quotes/', body: quoteRequest });
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
const created = await request<Claim>({ method: 'POST', path: '/api/partner/v1/claims/', body: order, idempotencyKey: reference });
console.log('pay', quote.fromSumma, query.from, 'to', created.payment?.value);
const claim = await request<Claim>({ method: 'GET', path: `/api/partner/v1/claims/${created.id}/` });
console.log(JSON.stringify({ id: claim.id, status: claim.status, isFinal: claim.isFinal }));
