import { createHash, createHmac, randomBytes } from 'node:crypto';
import { expect } from '@playwright/test';

/** A shop with a key: it signs its calls as the guide for partners says. */
export class Partner {
  constructor(
    private readonly root: string,
    private readonly key: string,
    private readonly secret: string,
  ) {}

  async calls(method: 'GET' | 'POST', path: string, body?: unknown) {
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

  /** Leaves a claim for a customer at a quote; gives its short number. */
  async claims(from: string, to: string, fromSumma: string, email: string): Promise<string> {
    const quote = await this.calls('POST', '/api/partner/v1/quotes/', { from, to, fromSumma });
    const claim = await this.calls('POST', '/api/partner/v1/claims/', {
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
    const seen = await this.calls('GET', `/api/partner/v1/claims/${claim.id}/`);
    expect(seen).toMatchObject({ id: claim.id, isFinal: false });
    return String(seen.publicId);
  }
}
