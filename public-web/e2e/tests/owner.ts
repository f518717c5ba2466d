import { type APIRequestContext, expect } from '@playwright/test';

/** Who the demonstration belongs to. */
export const OWNER = { email: 'owner@agio.example', password: 'agio-demo-owner' };

/** Whom the demonstration has as an operator. */
const COLLEAGUE = { email: 'operator@agio.example', password: 'agio-demo-operator' };

/** The owner of the house, by the console's own calls. */
export class Owner {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly headers: Record<string, string>,
  ) {}

  static async signIn(request: APIRequestContext, who = OWNER): Promise<Owner> {
    const answer = await request.post('/api/admin/v1/auth/login', { data: who });
    expect(answer.ok(), await answer.text()).toBe(true);
    const owner = new Owner(request, { authorization: `Bearer ${(await answer.json()).accessToken}` });
    await owner.calls('POST', '/me/confirm', { password: who.password });
    return owner;
  }

  /** Makes a call of the console; gives its answer. */
  async calls(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, data?: unknown) {
    const answer = await this.request.fetch(`/api/admin/v1${path}`, { method, data, headers: this.headers });
    expect(answer.ok(), `${method} ${path}: ${await answer.text()}`).toBe(true);
    return answer.status() === 204 ? null : answer.json();
  }

  /** The operator becomes an owner too, and agrees to all that waits for a second person. */
  async hasAColleagueApprove(): Promise<void> {
    const { items: staff } = await this.calls('GET', '/staff');
    const { id } = staff.find(({ email }: { email: string }) => email === COLLEAGUE.email);
    await this.calls('PUT', `/staff/${id}/role`, { role: 'owner' });
    const colleague = await Owner.signIn(this.request, COLLEAGUE);
    const { items: waiting } = await colleague.calls('GET', '/approvals');
    for (const proposal of waiting) await colleague.calls('POST', `/approvals/${proposal.id}/approve`);
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
