import { type APIRequestContext, expect } from '@playwright/test';

interface Claim {
  id: string;
  publicId: number;
  revision: number;
  status: string;
}

/** An operator who works a claim through the console's own calls. */
export class Operator {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly token: string,
  ) {}

  static async signIn(request: APIRequestContext): Promise<Operator> {
    const data = { email: 'operator@agio.example', password: 'agio-demo-operator' };
    const answer = await request.post('/api/admin/v1/auth/login', { data });
    expect(answer.ok(), await answer.text()).toBe(true);
    const operator = new Operator(request, (await answer.json()).accessToken);
    await operator.confirm(data.password);
    return operator;
  }

  /** Shows once more who is there: for what sends money out within the next minutes. */
  private async confirm(password: string): Promise<void> {
    const answer = await this.request.post('/api/admin/v1/me/confirm', { data: { password }, headers: this.headers() });
    expect(answer.ok(), await answer.text()).toBe(true);
  }

  async claim(id: string): Promise<Claim> {
    const answer = await this.request.get(`/api/admin/v1/claims/${id}`, { headers: this.headers() });
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.json();
  }

  /** Does what the console's button of this name does. */
  async act(id: string, action: string, said: Record<string, string> = {}): Promise<void> {
    const { revision } = await this.claim(id);
    const answer = await this.request.post(`/api/admin/v1/claims/${id}/transitions`, {
      data: { action, revision, ...said },
      headers: this.headers(),
    });
    expect(answer.ok(), await answer.text()).toBe(true);
  }

  /** Sees a claim to its end, from the payment that came to the payout that arrived. */
  async completes(id: string): Promise<void> {
    await this.act(id, 'payment_received', { txId: `in-${id}` });
    await this.act(id, 'take');
    await this.act(id, 'payout_sent', { txId: `out-${id}` });
    await this.act(id, 'complete');
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}
