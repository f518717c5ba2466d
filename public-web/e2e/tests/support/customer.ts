import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { dictionary, type Locale, locales } from './dictionary.ts';
import type { Mailbox } from './mailbox.ts';

/** A customer with an account, in one browser. */
export class Customer {
  readonly root: string;
  readonly texts: Record<string, string>;
  readonly common: Record<string, string>;

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
    readonly email = `customer-${randomUUID().slice(0, 8)}@example.com`,
    public password = 'correct horse battery staple',
  ) {
    this.root = locales.find((one) => one.locale === locale)?.root ?? '';
    this.texts = dictionary(locale, 'account');
    this.common = dictionary(locale, 'common');
  }

  /** The same customer in another browser. */
  at(page: Page): Customer {
    return new Customer(page, this.locale, this.email, this.password);
  }

  /** Creates a confirmed account through the API, from a network of its own because sign-ups are limited by it. */
  async createAccount(mailbox: Mailbox): Promise<void> {
    const { request } = this.page.context();
    const { email, password } = this;
    const headers = {
      'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`,
    };
    const response = await request.post(`${this.root}/api/v1/users/signup/`, { data: { email, password }, headers });
    expect(response.ok(), await response.text()).toBe(true);
    const token = (await mailbox.link(email, 'account_activation')).split('activate=')[1];
    // In the language of the account, which would change otherwise.
    const signedIn = await request.post(`${this.root}/front-api/auth/login/`, { data: { email, password } });
    const authorization = `Bearer ${(await signedIn.json()).accessToken}`;
    const activated = await request.post(`/api/v1/users/activate/${token}/`, { headers: { authorization } });
    expect(activated.ok(), await activated.text()).toBe(true);
    // The page signs in by itself.
    expect((await request.post('/front-api/auth/logout/')).ok()).toBe(true);
  }

  dialog(title: string) {
    return this.page.getByRole('dialog', { name: this.texts[title], exact: true });
  }

  /** A field, not the button beside it that reveals a password. */
  field(label: string) {
    return this.page.getByRole('textbox', { name: this.texts[label], exact: true });
  }

  async openSignIn(): Promise<void> {
    await this.page.getByRole('button', { name: this.common.sign_in, exact: true }).click();
    await expect(this.dialog('sign_in.title')).toBeVisible();
  }

  /** Fills in the open sign-in dialog. */
  async signIn(): Promise<void> {
    const dialog = this.dialog('sign_in.title');
    await dialog.getByRole('textbox', { name: this.texts.email }).fill(this.email);
    await dialog.getByRole('textbox', { name: this.texts.password }).fill(this.password);
    await dialog.getByRole('button', { name: this.texts['sign_in.submit'], exact: true }).click();
  }

  get menu() {
    return this.page.getByRole('button', { name: this.texts['menu.of']?.replace('{{email}}', this.email) });
  }

  async signOut(): Promise<void> {
    await this.menu.click();
    await this.page.getByRole('button', { name: this.texts['menu.sign_out'], exact: true }).click();
    await expect(this.page.getByText(this.texts['menu.signed_out'] as string)).toBeVisible();
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.root}${path}`);
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: this.texts[button], exact: true }).click();
  }

  /** Asks the page itself: the driver has missed navigations within a document. */
  async expectAt(path: string): Promise<void> {
    await expect(async () => {
      const pathname = await this.page.evaluate(() => location.pathname);
      expect(pathname.replace(/\/$/, '')).toBe(`${this.root}${path}`);
    }).toPass({ timeout: 20_000 });
  }
}

/** The code that an authenticator app shows for a base32 secret (RFC 6238). */
export function codeOf(secret: string, moment = Date.now()): string {
  const bits = [...secret].map((character) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(moment / 30_000)));
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
