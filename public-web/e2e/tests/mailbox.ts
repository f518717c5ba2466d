import { type APIRequestContext, expect } from '@playwright/test';

interface MailRow {
  id: number;
  kind: string;
  to: string;
}

/** The letters of the house, as its owner reads them in the console where no mail server is configured. */
export class Mailbox {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly token: string,
  ) {}

  static async open(request: APIRequestContext): Promise<Mailbox> {
    const data = { email: 'owner@agio.example', password: 'agio-demo-owner' };
    const answer = await request.post('/api/admin/v1/auth/login', { data });
    expect(answer.ok(), await answer.text()).toBe(true);
    return new Mailbox(request, (await answer.json()).accessToken);
  }

  /** Waits for a letter of this kind to an address, and gives the path its link leads to. */
  async link(to: string, kind: string): Promise<string> {
    let found: MailRow | undefined;
    await expect
      .poll(async () => {
        const { items } = await this.get<{ items: MailRow[] }>('/mail?state=sent&size=100');
        found = items.find((mail) => mail.to === to && mail.kind === kind);
        return found?.kind;
      })
      .toBe(kind);
    const { text } = await this.get<{ text: string }>(`/mail/${found?.id}`);
    const link = /https?:\/\/\S+#\S+/.exec(text)?.[0] ?? '';
    // The letter names the site's public address; the test's is another.
    const { pathname, hash } = new URL(link);
    return pathname + hash;
  }

  private async get<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await this.request.get(`/api/admin/v1${path}`, { headers });
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.json();
  }
}
