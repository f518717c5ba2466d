import { createHash, createHmac, randomBytes } from 'node:crypto';
import { expect } from '@playwright/test';

/** A partner with a key, who signs calls as the partners' guide describes. */
export class PartnerApi {
  constructor(
    private readonly root: string,
    private readonly key: string,
    private readonly secret: string,
  ) {}

  async call(method: 'GET' | 'POST', path: string, body?: unknown) {
    const content = body === undefined ? '' : JSON.stringify(body);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomBytes(12).toString('hex');
    const digest = createHash('sha256').update(content).digest('hex');
    const text = ['v1', method, path, '', digest, timestamp, nonce].join('\n');
    const response = await fetch(this.root + path, {
      method,
      body: content || null,
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': nonce,
        'X-Agio-Key': this.key,
        'X-Agio-Timestamp': timestamp,
        'X-Agio-Nonce': nonce,
        'X-Agio-Signature': `v1=${createHmac('sha256', this.secret).update(text).digest('hex')}`,
      },
    });
    const answer = await response.json();
    expect(response.ok, JSON.stringify(answer)).toBe(true);
    return answer;
  }

  /** Creates a claim for a customer at a quote; gives its short number. */
  async createClaim(from: string, to: string, fromSumma: string, email: string): Promise<string> {
    const quote = await this.call('POST', '/api/partner/v1/quotes/', { from, to, fromSumma });
    const claim = await this.call('POST', '/api/partner/v1/claims/', {
      from,
      to,
      fromSumma: quote.fromSumma,
      toSumma: quote.toSumma,
      quoteId: quote.id,
      email,
      toRequisites: { card: '2200000000000004', holder: 'IVAN PETROV' },
      reference: `order-${email}`,
      amlConsent: true,
    });
    const created = await this.call('GET', `/api/partner/v1/claims/${claim.id}/`);
    expect(created).toMatchObject({ id: claim.id, isFinal: false });
    return String(created.publicId);
  }
}
