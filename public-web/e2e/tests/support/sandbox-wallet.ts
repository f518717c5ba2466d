import type { Locator, Page } from '@playwright/test';
import type { Locale } from './dictionary.ts';

/** The wallet's port minus the site's, see `serve`. */
const PORT_OFFSET = 1000;

/** Blocks come every five or ten seconds, and the server polls every five: a claim needs two, and its payout two more. */
export const CONFIRMED = { timeout: 45_000 };

const TEXTS = {
  ru: { amount: 'Сумма', send: 'Отправить', confirmations: 'Подтверждения' },
  en: { amount: 'Amount', send: 'Send', confirmations: 'Confirmations' },
};

/** The wallet of the sandbox network, with which customers pay. */
export class SandboxWallet {
  readonly texts: (typeof TEXTS)[Locale];

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
  ) {
    this.texts = TEXTS[locale];
  }

  /** The network beside a site, and its wallet. */
  urlBeside(site: string): string {
    const url = new URL('/', site);
    url.port = String(Number(url.port) + PORT_OFFSET);
    return url.href;
  }

  /** Opens the wallet beside a site, for a payment of so much to an address. */
  async fillIn(site: string, address: string, amount: string): Promise<void> {
    await this.page.goto(`${this.urlBeside(site)}?locale=${this.locale}&address=${address}`);
    await this.page.getByLabel(this.texts.amount).fill(amount);
  }

  async send(): Promise<void> {
    await this.page.getByRole('button', { name: this.texts.send }).click();
  }

  /** How often the network has confirmed the payment. */
  get confirmations(): Locator {
    return this.page.locator('#count');
  }
}
