import { type APIRequestContext, expect } from '@playwright/test';

interface Claim {
  id: string;
  publicId: number;
  revision: number;
  status: string;
}

interface Pair {
  id: number;
  giveId: number;
  receiveId: number;
  revision: number;
  spreadPercent: string;
}

/** The staff of the demonstration. */
export const OWNER = { email: 'owner@agio.example', password: 'agio-demo-owner' };
export const OPERATOR = { email: 'operator@agio.example', password: 'agio-demo-operator' };

/** A staff member who works through the console's API. */
export class StaffApi {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly headers: Record<string, string>,
  ) {}

  /** Signs in and confirms the session, which moving money requires. */
  static async signIn(request: APIRequestContext, credentials = OWNER): Promise<StaffApi> {
    const answer = await request.post('/api/admin/v1/auth/login', { data: credentials });
    expect(answer.ok(), await answer.text()).toBe(true);
    const staff = new StaffApi(request, { authorization: `Bearer ${(await answer.json()).accessToken}` });
    await staff.call('POST', '/me/confirm', { password: credentials.password });
    return staff;
  }

  async call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, data?: unknown) {
    const answer = await this.request.fetch(`/api/admin/v1${path}`, { method, data, headers: this.headers });
    expect(answer.ok(), `${method} ${path}: ${await answer.text()}`).toBe(true);
    return answer.status() === 204 ? null : answer.json();
  }

  /** The status and the code with which the server refuses what this member may not do. */
  async refusal(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    data?: unknown,
  ): Promise<{ status: number; code?: string }> {
    const answer = await this.request.fetch(`/api/admin/v1${path}`, { method, data, headers: this.headers });
    return { status: answer.status(), code: answer.ok() ? undefined : (await answer.json()).code };
  }

  claim(id: string): Promise<Claim> {
    return this.call('GET', `/claims/${id}`);
  }

  /** Moves a claim on, as the console's button of this action does. */
  async act(id: string, action: string, details: Record<string, string> = {}): Promise<void> {
    const { revision } = await this.claim(id);
    await this.call('POST', `/claims/${id}/transitions`, { action, revision, ...details });
  }

  /** Processes a claim to its end, from the incoming payment to the payout. */
  async completeClaim(id: string): Promise<void> {
    await this.act(id, 'payment_received', { txId: `in-${id}` });
    await this.act(id, 'take');
    await this.act(id, 'payout_sent', { txId: `out-${id}` });
    await this.act(id, 'complete');
  }

  /** The pair of two currencies by their codes. */
  async pair(give: string, receive: string): Promise<Pair> {
    const [currencies, pairs] = [await this.call('GET', '/currencies'), await this.call('GET', '/pairs')];
    const idOf = (code: string) => currencies.find((currency: { code: string }) => currency.code === code).id;
    const [giveId, receiveId] = [idOf(give), idOf(receive)];
    return pairs.find((pair: Pair) => pair.giveId === giveId && pair.receiveId === receiveId);
  }

  /** Changes a pair; gives its new revision. */
  async updatePair({ id, revision }: Pair, change: Record<string, string>): Promise<number> {
    return (await this.call('PATCH', `/pairs/${id}`, { revision, ...change })).revision;
  }

  /** Makes the operator an owner too, who approves all that waits for a second person. */
  async approveAll(): Promise<void> {
    const { items: staff } = await this.call('GET', '/staff');
    const { id } = staff.find(({ email }: { email: string }) => email === OPERATOR.email);
    await this.call('PUT', `/staff/${id}/role`, { role: 'owner' });
    const second = await StaffApi.signIn(this.request, OPERATOR);
    const { items: waiting } = await second.call('GET', '/approvals');
    for (const approval of waiting) await second.call('POST', `/approvals/${approval.id}/approve`);
  }

  /** Gives every referrer a tenth of what is exchanged by their link, due after an hour. */
  async enableReferrals(): Promise<void> {
    const [plan] = await this.call('GET', '/referral/plans');
    const terms = {
      name: plan.name,
      kind: 'amount',
      tiers: [{ from: '0', percent: '10' }],
      minCommission: '0.01',
      holdHours: 1,
      withdrawalMin: '1',
    };
    await this.call('PUT', `/referral/plans/${plan.id}`, { revision: plan.revision, terms });
  }

  /** Gives customers who have exchanged at least `min` so many percent more. */
  async setDiscount(min: string, percent: string): Promise<void> {
    const { revision } = await this.call('GET', '/discounts');
    await this.call('PUT', '/discounts/tiers', { revision, tiers: [{ min, percent }] });
  }
}
