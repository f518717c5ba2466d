import { expect, type Page } from '@playwright/test';
import { type Locale, locales, words } from './words.ts';

/** Somebody who gives bitcoin for roubles on the site: a guest, unless the address of an account is given. */
export class Visitor {
  private readonly root: string;

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
    readonly email = `customer-${Date.now()}@example.com`,
  ) {
    this.root = locales.find((one) => one.locale === locale)?.root ?? '';
  }

  /** Fills in the note by the receive side, with everything the claim needs. */
  async fillIn(roubles = 90_000, bitcoins = /^0[.,]014\d*$/): Promise<void> {
    const home = words(this.locale, 'home');
    await this.page.goto(`${this.root}/?cur_from=BTC&cur_to=SBERRUB`);
    const side = (word: string) => this.page.getByRole('textbox', { name: new RegExp(`^${home[word]}`) });
    const receive = side('receive');
    await expect(receive).not.toHaveValue('');
    await receive.fill(String(roubles));
    await receive.blur();
    // The send side follows through the rate: 90 000 roubles are somewhat over a hundredth of a bitcoin.
    await expect(side('send')).toHaveValue(bitcoins);
    const stub = this.page.getByRole('region', { name: new RegExp(`^${home.stub_payout_blank}`) });
    const payout = stub.getByRole('textbox');
    await payout.nth(0).fill('2200 0000 0000 0004');
    await payout.nth(1).fill('IVAN IVANOV');
    await this.page.getByRole('textbox', { name: home.email }).fill(this.email);
    await this.agree();
  }

  /** By the pointer: nothing may move beneath it while the rest of the page comes. */
  private async agree(): Promise<void> {
    for (const consent of await this.page.getByRole('checkbox').all()) {
      await consent.check();
    }
  }

  /** Fills in the note for bitcoin paid from a card, where the card's number is asked for. */
  async fillInFromCard(): Promise<void> {
    const home = words(this.locale, 'home');
    await this.page.goto(`${this.root}/?cur_from=SBERRUB&cur_to=BTC`);
    const send = this.page.getByRole('textbox', { name: new RegExp(`^${home.send}`) });
    await expect(send).not.toHaveValue('');
    await send.fill('50000');
    await send.blur();
    await this.page.locator('[name="toRequisites.address"]').fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq');
    await this.page.locator('[name="fromRequisites.card"]').fill('2200 0000 0000 0004');
    await this.page.locator('[name="fromRequisites.holder"]').fill('IVAN IVANOV');
    await this.page.getByRole('textbox', { name: home.email }).fill(this.email);
    await this.agree();
  }

  /** Fills in the note for ether, which the sandbox network takes, and tether, which it pays out. */
  async fillInEther(): Promise<void> {
    const home = words(this.locale, 'home');
    await this.page.goto(`${this.root}/?cur_from=ETH&cur_to=USDTTRC20`);
    // Whoever chooses ether is told of the network and its wallet.
    const notice = this.page.getByRole('dialog');
    await expect(notice).toContainText(/http:\/\/127\.0\.0\.1:\d+\//);
    await notice.getByRole('button', { name: words(this.locale, 'common').close }).click();
    const send = this.page.getByRole('textbox', { name: new RegExp(`^${home.send}`) });
    await expect(send).not.toHaveValue('');
    await send.fill('0.4');
    await send.blur();
    await this.page.locator('[name="toRequisites.address"]').fill('TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW');
    await this.page.getByRole('textbox', { name: home.email }).fill(this.email);
    await this.agree();
  }

  /** Leaves the claim, to be looked over on its own page. */
  async leave(): Promise<void> {
    const { exchange } = words(this.locale, 'home');
    await this.page.getByRole('button', { name: new RegExp(`^${exchange} `) }).click();
    await this.page.waitForURL(`**${this.root}/claim`);
  }

  /** Confirms the claim and sees where to pay; gives its id. */
  async confirm(): Promise<string> {
    const claim = words(this.locale, 'claim');
    const [created] = await Promise.all([
      this.page.waitForResponse((response) => response.url().includes('/confirm/')),
      this.page.getByRole('button', { name: claim['review.confirm'] }).click(),
    ]);
    await expect(this.page.getByText('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2')).toBeVisible();
    return new URL(created.url()).pathname.split('/').at(-3) as string;
  }

  /** Says that the money is sent. From here on the page follows by itself. */
  async sayPaid(): Promise<void> {
    await this.page.getByRole('button', { name: words(this.locale, 'claim')['pay.paid'] }).click();
    await this.expectState('payment_claimed');
  }

  /** Sees the claim in a state, wherever the page is. */
  async expectState(state: string): Promise<void> {
    const claim = words(this.locale, 'claim');
    await expect(this.page.getByRole('heading', { name: claim[`state.${state}.heading`] })).toBeVisible();
  }

  /** Ends on the page of success. */
  async expectSuccess(id: string): Promise<void> {
    await this.page.waitForURL(`**${this.root}/claim/success?id=${id}`);
  }
}
