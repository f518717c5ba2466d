import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import type { Mailbox } from './mailbox.ts';
import { type Locale, locales, words } from './words.ts';

/** A customer with an account, at one of their browsers. */
export class Member {
  readonly root: string;
  readonly words: Record<string, string>;
  readonly common: Record<string, string>;

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
    readonly email = `member-${randomUUID().slice(0, 8)}@example.com`,
    public password = 'correct horse battery staple',
  ) {
    this.root = locales.find((one) => one.locale === locale)?.root ?? '';
    this.words = words(locale, 'account');
    this.common = words(locale, 'common');
  }

  /** The same customer at another browser. */
  at(page: Page): Member {
    return new Member(page, this.locale, this.email, this.password);
  }

  /** An account with a confirmed address, made without the pages, from an internet address that nobody else signs up from. */
  async makeAccount(mailbox: Mailbox): Promise<void> {
    const { request } = this.page.context();
    const { email, password } = this;
    const headers = {
      'x-forwarded-for': `2001:db8::${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}`,
    };
    const made = await request.post(`${this.root}/api/v1/users/signup/`, { data: { email, password }, headers });
    expect(made.ok(), await made.text()).toBe(true);
    const token = (await mailbox.link(email, 'account_activation')).split('activate=')[1];
    expect((await request.post(`/api/v1/users/activate/${token}/`)).ok()).toBe(true);
  }

  dialog(title: string) {
    return this.page.getByRole('dialog', { name: this.words[title], exact: true });
  }

  /** A field, not the button beside it that shows what is typed. */
  field(label: string) {
    return this.page.getByRole('textbox', { name: this.words[label], exact: true });
  }

  async openSignIn(): Promise<void> {
    await this.page.getByRole('button', { name: this.common.sign_in, exact: true }).click();
    await expect(this.dialog('sign_in.title')).toBeVisible();
  }

  /** Fills in the open sign-in dialog. */
  async signIn(): Promise<void> {
    const dialog = this.dialog('sign_in.title');
    await dialog.getByRole('textbox', { name: this.words.email }).fill(this.email);
    await dialog.getByRole('textbox', { name: this.words.password }).fill(this.password);
    await dialog.getByRole('button', { name: this.words['sign_in.submit'], exact: true }).click();
  }

  get menu() {
    return this.page.getByRole('button', { name: this.words['menu.of']?.replace('{{email}}', this.email) });
  }

  async signOut(): Promise<void> {
    await this.menu.click();
    await this.page.getByRole('button', { name: this.words['menu.sign_out'], exact: true }).click();
    await expect(this.page.getByText(this.words['menu.signed_out'] as string)).toBeVisible();
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.root}${path}`);
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: this.words[button], exact: true }).click();
  }

  async expectAt(path: string): Promise<void> {
    await this.page.waitForURL((url) => url.pathname === (`${this.root}${path}` || '/'));
  }
}

/** The code an authenticator app shows at a moment for a secret in base32 (RFC 6238). */
export function codeOf(secret: string, moment = Date.now()): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(moment / 30_000)));
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
