import { type APIRequestContext, expect } from '@playwright/test';

/** Who the demonstration belongs to. */
export const OWNER = { email: 'owner@agio.example', password: 'agio-demo-owner' };

/** The owner of the house, by the console's own calls. */
export class Owner {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly headers: Record<string, string>,
  ) {}

  static async signIn(request: APIRequestContext): Promise<Owner> {
    const answer = await request.post('/api/admin/v1/auth/login', { data: OWNER });
    expect(answer.ok(), await answer.text()).toBe(true);
    const owner = new Owner(request, { authorization: `Bearer ${(await answer.json()).accessToken}` });
    await owner.calls('POST', '/me/confirm', { password: OWNER.password });
    return owner;
  }

  /** Makes a call of the console; gives its answer. */
  async calls(method: 'GET' | 'POST' | 'PUT', path: string, data?: unknown) {
    const answer = await this.request.fetch(`/api/admin/v1${path}`, { method, data, headers: this.headers });
    expect(answer.ok(), `${method} ${path}: ${await answer.text()}`).toBe(true);
    return answer.status() === 204 ? null : answer.json();
  }

  /** Everybody earns a tenth of what is sent by their link, and may have it after an hour. */
  async paysReferrers(): Promise<void> {
    const [common] = await this.calls('GET', '/referral/programmes');
    const terms = {
      name: common.name,
      kind: 'amount',
      tiers: [{ from: '0', percent: '10' }],
      accrualMin: '0.01',
      holdHours: 1,
      withdrawalMin: '1',
    };
    await this.calls('PUT', `/referral/programmes/${common.id}`, { revision: common.revision, terms });
  }

  /** Whoever has exchanged for so much gets so many percent more. */
  async givesDiscounts(min: string, percent: string): Promise<void> {
    const { revision } = await this.calls('GET', '/discounts');
    await this.calls('PUT', '/discounts/tiers', { revision, tiers: [{ min, percent }] });
  }
}
