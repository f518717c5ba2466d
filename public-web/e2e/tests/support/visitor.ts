import { expect, type Page } from '@playwright/test';
import { dictionary, type Locale, locales } from './dictionary.ts';

/** A visitor who exchanges on the site: a guest, unless the address of an account is given. */
export class Visitor {
  private readonly root: string;

  constructor(
    readonly page: Page,
    private readonly locale: Locale,
    readonly email = `customer-${Date.now()}@example.com`,
  ) {
    this.root = locales.find((one) => one.locale === locale)?.root ?? '';
  }

  /** Fills in the form for bitcoin to roubles by the received amount. */
  async fillIn(roubles = 90_000, bitcoins = /^0[.,]014\d*$/): Promise<void> {
    const home = dictionary(this.locale, 'home');
    await this.page.goto(`${this.root}/?cur_from=BTC&cur_to=SBERRUB`);
    const side = (key: string) => this.page.getByRole('textbox', { name: new RegExp(`^${home[key]}`) });
    const receive = side('receive');
    await expect(receive).not.toHaveValue('');
    await receive.fill(String(roubles));
    await receive.blur();
    // The other side follows by the rate.
    await expect(side('give')).toHaveValue(bitcoins);
    const stub = this.page.getByRole('region', { name: new RegExp(`^${home.stub_payout_blank}`) });
    const payout = stub.getByRole('textbox');
    await payout.nth(0).fill('2200 0000 0000 0004');
    await payout.nth(1).fill('IVAN IVANOV');
    await this.page.getByRole('textbox', { name: home.email }).fill(this.email);
    await this.agree();
  }

  /** With the pointer: nothing may move beneath it while the rest of the page loads. */
  private async agree(): Promise<void> {
    for (const consent of await this.page.getByRole('checkbox').all()) {
      await consent.check();
    }
  }

  /** Fills in the form for bitcoin paid from a card, which requires the card's number. */
  async fillInFromCard(): Promise<void> {
    const home = dictionary(this.locale, 'home');
    await this.page.goto(`${this.root}/?cur_from=SBERRUB&cur_to=BTC`);
    const give = this.page.getByRole('textbox', { name: new RegExp(`^${home.give}`) });
    await expect(give).not.toHaveValue('');
    await give.fill('50000');
    await give.blur();
    await this.page.locator('[name="toRequisites.address"]').fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq');
    await this.page.locator('[name="fromRequisites.card"]').fill('2200 0000 0000 0004');
    await this.page.locator('[name="fromRequisites.holder"]').fill('IVAN IVANOV');
    await this.page.getByRole('textbox', { name: home.email }).fill(this.email);
    await this.agree();
  }

  /** Fills in the form for ether, which the sandbox network receives, to tether, which it pays out. */
  async fillInEther(): Promise<void> {
    const home = dictionary(this.locale, 'home');
    await this.page.goto(`${this.root}/?cur_from=ETH&cur_to=USDTTRC20`);
    // A notice names the network and its wallet.
    const notice = this.page.getByRole('dialog');
    await expect(notice).toContainText(/http:\/\/127\.0\.0\.1:\d+\//);
    await notice.getByRole('button', { name: dictionary(this.locale, 'common').close }).click();
    const give = this.page.getByRole('textbox', { name: new RegExp(`^${home.give}`) });
    await expect(give).not.toHaveValue('');
    await give.fill('0.4');
    await give.blur();
    await this.page.locator('[name="toRequisites.address"]').fill('TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW');
    await this.page.getByRole('textbox', { name: home.email }).fill(this.email);
    await this.agree();
  }

  /** Submits the form, which opens the claim for review. */
  async submit(): Promise<void> {
    const { exchange } = dictionary(this.locale, 'home');
    await this.page.getByRole('button', { name: new RegExp(`^${exchange} `) }).click();
    await this.page.waitForURL(`**${this.root}/claim`);
  }

  /** Confirms the claim, which shows the payment details; gives its id. */
  async confirm(address: string | RegExp = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'): Promise<string> {
    const claim = dictionary(this.locale, 'claim');
    const [created] = await Promise.all([
      this.page.waitForResponse((response) => response.url().includes('/confirm/')),
      this.page.getByRole('button', { name: claim['review.confirm'] }).click(),
    ]);
    await expect(this.page.getByText(address).first()).toBeVisible();
    return new URL(created.url()).pathname.split('/').at(-3) as string;
  }

  /** Reports the payment as sent. From here on the page updates by itself. */
  async reportPayment(): Promise<void> {
    await this.page.getByRole('button', { name: dictionary(this.locale, 'claim')['pay.paid'] }).click();
    await this.expectState('payment_claimed');
  }

  /** Exchanges until the payment is reported as sent; gives the id of the claim. */
  async pay(): Promise<string> {
    await this.fillIn();
    await this.submit();
    const id = await this.confirm();
    await this.reportPayment();
    return id;
  }

  async expectState(state: string): Promise<void> {
    const claim = dictionary(this.locale, 'claim');
    await expect(this.page.getByRole('heading', { name: claim[`state.${state}.heading`] })).toBeVisible();
  }

  async expectSuccess(id: string): Promise<void> {
    await this.page.waitForURL(`**${this.root}/claim/success?id=${id}`);
  }
}
