import { type APIRequestContext, expect } from '@playwright/test';
import { StaffApi } from './staff-api.ts';

interface Email {
  id: number;
  kind: string;
  to: string;
}

/** The emails of the server, which its owner reads in the console where no mail server is configured. */
export class Mailbox {
  private constructor(private readonly owner: StaffApi) {}

  static async open(request: APIRequestContext): Promise<Mailbox> {
    return new Mailbox(await StaffApi.signIn(request));
  }

  /** Waits for an email of this kind to an address, and gives the path its link leads to. */
  async link(to: string, kind: string, pattern = /https?:\/\/\S+#\S+/): Promise<string> {
    let email: Email | undefined;
    await expect
      .poll(async () => {
        const { items } = await this.owner.call('GET', '/mail?state=sent&size=100');
        email = items.find((one: Email) => one.to === to && one.kind === kind);
        return email?.kind;
      })
      .toBe(kind);
    const { text } = await this.owner.call('GET', `/mail/${email?.id}`);
    const link = pattern.exec(text)?.[0] ?? '';
    // The email names the site's public address; the test's is another.
    const { pathname, hash } = new URL(link);
    return pathname + hash;
  }
}
