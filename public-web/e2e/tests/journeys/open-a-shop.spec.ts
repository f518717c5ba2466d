import { expect, type Locator, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { codeOf } from '../support/customer.ts';
import { dictionary, type Locale, localeOfEngine, locales } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow, loads } from '../support/page.ts';
import { StaffMember } from '../support/staff-member.ts';
import { test } from '../support/test-app.ts';
import { Visitor } from '../support/visitor.ts';

const DESKTOP = { width: 1280, height: 900 };
/** How long a code is valid. */
const PERIOD_MS = 30_000;
const ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';

test.use({ scenario: 'open a shop', isEmpty: true });

/** The part of a text before its first placeholder. */
const beginning = (text: string) => new RegExp(`^${text.split('%{')[0]?.trim()}`);

/** A text with its placeholders filled in. */
const filled = (text: string, values: Record<string, string>) =>
  Object.entries(values).reduce((before, [name, value]) => before.replace(`%{${name}}`, value), text);

/** The owner at the console. */
class Owner extends StaffMember {
  private secret = '';
  /** Each code works once: the first one sets the factor up, the next one confirms. */
  private codes = 0;

  private code(): string {
    this.codes += 1;
    return codeOf(this.secret, Date.now() + (this.codes - 1) * PERIOD_MS);
  }

  async accept(invitation: string): Promise<void> {
    const { welcome } = this.texts;
    await this.page.goto(invitation);
    await expect(this.field(welcome.email)).toHaveValue(this.email);
    await this.field(welcome.name).fill('Anna Kotova');
    await this.field(welcome.password).fill(this.password);
    await this.press(welcome.submit);
  }

  async setUpSecondFactor(): Promise<void> {
    const { setup } = this.texts;
    this.secret = (await this.page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(/\s/g, '');
    await this.field(setup.code).fill(this.code());
    await this.press(setup.turnOn);
    await this.press(setup.kept);
    await expect(this.menu).toBeVisible();
    const { confirm } = this.texts;
    const dialog = this.dialog(confirm.title);
    await this.page.addLocatorHandler(dialog, async () => {
      await this.field(confirm.code, dialog).fill(this.code());
      await this.press(confirm.submit, dialog);
    });
  }

  get checklist(): Locator {
    return this.page.getByRole('region', { name: this.texts.opening.title });
  }

  /** Begins the guide on the overview. */
  async beginGuide(): Promise<void> {
    await this.page.goto('/admin/');
    await this.press(this.texts.opening.guide, this.checklist);
  }

  /** Lets the guide lead to a step; what is not done on the way is skipped. */
  async follow(step: keyof typeof this.texts.opening.steps): Promise<void> {
    const { guideTitle, steps, next, skip } = this.texts.opening;
    const guide = this.page.getByRole('region', { name: guideTitle });
    const onwards = guide.getByRole('button', { name: new RegExp(`^(${next}|${skip})$`) });
    await expect(async () => {
      if (!(await guide.innerText()).includes(steps[step])) await onwards.click();
      await expect(guide).toContainText(steps[step], { timeout: 1_000 });
    }).toPass();
  }

  async expectDone(step: keyof typeof this.texts.opening.steps): Promise<void> {
    await this.page.goto('/admin/');
    const { steps, done } = this.texts.opening;
    await expect(this.checklist.getByRole('listitem').filter({ hasText: steps[step] })).toContainText(done);
  }

  async nameExchange(name: string, support: string): Promise<void> {
    const { brand, action } = this.texts;
    await this.beginGuide();
    await this.follow('contacts');
    await this.field(brand.fields.siteName).fill(name);
    await this.field(brand.fields.supportEmail).fill(support);
    await this.press(action.save);
    await expect(this.page.getByText(brand.saved)).toBeVisible();
  }

  async sendTestEmail(): Promise<void> {
    const { mail } = this.texts;
    await this.page.goto('/admin/mail');
    await this.press(mail.test);
    await expect(this.page.getByText(mail.tested)).toBeVisible();
  }

  /** Adds a currency as the catalogue has it. */
  async addCurrency(code: string): Promise<void> {
    const { newCurrency } = this.texts;
    await this.page.goto('/admin/currencies?new');
    const dialog = this.dialog(newCurrency.title);
    await this.field(newCurrency.search, dialog).fill(code);
    await dialog.getByRole('option', { name: new RegExp(`\\b${code} `) }).click();
    await this.press(newCurrency.create, dialog);
    await expect(this.page.getByText(filled(newCurrency.created, { code }))).toBeVisible();
  }

  /** Uses a source that comes with Agio. */
  async switchOnSource(title: string): Promise<void> {
    const { live } = this.texts;
    await this.follow('rates');
    await this.press(`${live.switchOn}: ${title}`);
    await expect(this.page.getByText(filled(live.nowOn, { name: title }))).toBeVisible();
    await expect(this.page.getByRole('button', { name: `${live.setUp}: ${title}` })).toBeVisible();
    await expectAccessible(this.page);
  }

  /** Creates an enabled pair at a rate of one's own. */
  async addPair(give: string, receive: string, rate: string): Promise<void> {
    const { newPairs, pairs } = this.texts;
    await this.follow('pairs');
    await this.page.getByRole('button', { name: newPairs.title, exact: true }).first().click();
    const dialog = this.dialog(newPairs.title);
    const side = (legend: string) => dialog.getByRole('group', { name: legend, exact: true });
    await this.press(give, side(newPairs.gives));
    await this.press(receive, side(newPairs.receives));
    await dialog.getByLabel(pairs.isOff).click();
    await dialog.getByRole('combobox', { name: pairs.source }).click();
    await this.page.getByRole('option', { name: pairs.sources.manual }).click();
    await dialog.getByLabel(beginning(pairs.manualRate)).fill(rate);
    const create = dialog.getByRole('button', { name: beginning(newPairs.create) });
    await expect(create).toBeEnabled();
    // The colour of the button changes slowly.
    await expect(() => expectAccessible(this.page)).toPass();
    await create.click();
    await expect(dialog).toBeHidden();
  }

  async deposit(code: string, amount: string): Promise<void> {
    const { reserves } = this.texts;
    await this.follow('reserves');
    await this.press(`${reserves.move}: ${code}`);
    const dialog = this.dialog(filled(reserves.moveTitle, { code }));
    await this.field(filled(reserves.amount, { code }), dialog).fill(amount);
    await this.field(reserves.note, dialog).fill('The first reserve');
    await this.press(reserves.do.deposit, dialog);
    await expect(this.page.getByText(reserves.moved)).toBeVisible();
  }

  async addPaymentDetails(code: string, value: string): Promise<void> {
    const { requisites, action } = this.texts;
    await this.follow('payment_details');
    await this.press(requisites.add);
    const dialog = this.dialog(requisites.addTitle);
    await dialog.getByRole('combobox', { name: requisites.currency }).click();
    await this.page.getByRole('option', { name: code, exact: true }).click();
    await this.field(requisites.value, dialog).fill(value);
    await this.press(action.save, dialog);
    await expect(this.page.getByText(requisites.saved)).toBeVisible();
  }
}

/** The visitor's claim at the console, from the queue to its completion. */
async function complete(page: Page, locale: Locale, number: string): Promise<void> {
  const admin = new Console(page, locale);
  await admin.openQueue();
  await admin.row(number).getByRole('link').click();
  await admin.expectState('payment_claimed');
  await admin.pressTake();
  await expect(admin.panel).toContainText(admin.texts.claim.heldByYou);
  await admin.step('payment_received').click();
  await admin.agree(admin.texts.moves.payment_received.do);
  await admin.expectState('paid');
  await admin.pressMain();
  await admin.expectState('processing');
  await admin.pressMain();
  await admin.dialog.getByLabel(admin.texts.ask.txId).fill('the-first-payout');
  await page.keyboard.press('Control+Enter');
  await admin.expectState('payout_sent');
  await admin.step('complete').click();
  await admin.agree(admin.texts.moves.complete.do);
  await admin.expectState('completed');
}

test('an owner opens a shop on an empty database, up to the first exchange', async ({ browser, page, app, mail }) => {
  const engine = test.info().project.name;
  const locale = localeOfEngine();
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  const home = dictionary(locale, 'home') as Record<'opening' | 'opening_text' | 'rates_none' | 'give', string>;
  const began = Date.now();
  const deeds: string[] = [];
  const deed = <T>(name: string, act: () => Promise<T>): Promise<T> => {
    deeds.push(name);
    return test.step(name, act);
  };

  const guest = await browser.newContext({ baseURL: app.root, viewport: DESKTOP, locale });
  const visitor = new Visitor(await guest.newPage(), locale);
  const errors = [page, visitor.page].map(consoleErrors);
  const heading = visitor.page.getByRole('heading', { level: 1 });
  const html = await (await guest.request.get(`${root}/`)).text();
  expect(html).toContain(home.opening_text);
  await visitor.page.goto(`${root}/`);
  await expect(heading).toHaveText(home.opening);
  for (const width of [320, 360, 768, 1280]) {
    await visitor.page.setViewportSize({ ...DESKTOP, width });
    await expectNoOverflow(visitor.page);
  }
  await expect(visitor.page.getByText(home.rates_none)).toBeVisible();
  await expectAccessible(visitor.page);
  const looking = loads(visitor.page);

  await page.setViewportSize(DESKTOP);
  const owner = new Owner(page, locale, 'owner@agio.example');
  await page.goto('/admin/');
  await page.getByRole('button', { name: { ru: 'Русский', en: 'English' }[locale] }).click();
  await deed('accept the invitation', () => owner.accept(app.invitation));
  await deed('set up a second factor', () => owner.setUpSecondFactor());
  await expect(owner.checklist).toBeVisible();
  await expectAccessible(page);
  for (const step of ['mail', 'second_factor'] as const) await owner.expectDone(step);

  await deed('name the exchange', () => owner.nameExchange('Open Exchange', 'help@exchange.example'));
  await deed('send a test email', () => owner.sendTestEmail());
  await deed('add bitcoin', () => owner.addCurrency('BTC'));
  await deed('add roubles', () => owner.addCurrency('SBERRUB'));
  await deed('switch on a rate source', () => owner.switchOnSource('Kraken'));
  await deed('create a pair', () => owner.addPair('BTC', 'SBERRUB', '6000000'));
  await expect(heading).toHaveText(home.opening);
  await deed('deposit a reserve', () => owner.deposit('SBERRUB', '1000000'));
  await deed('add payment details', () => owner.addPaymentDetails('BTC', ADDRESS));
  for (const step of ['contacts', 'currencies', 'rates', 'pairs', 'reserves', 'payment_details'] as const) {
    await owner.expectDone(step);
  }

  // The visitor's page has become the calculator by itself.
  await expect(visitor.page.getByRole('textbox', { name: new RegExp(`^${home.give}`) })).toBeVisible({
    timeout: 20_000,
  });
  await expect(heading).not.toHaveText(home.opening);
  expect(looking.count).toBe(0);
  expect(await (await guest.request.get(`${root}/`)).text()).not.toContain(home.opening_text);
  await deed('a visitor fills in the form', () => visitor.fillIn(90_000, /^0[.,]015$/));
  await deed('a visitor creates a claim', () => visitor.submit());
  const id = await deed('a visitor confirms it', () => visitor.confirm());
  const number = (await visitor.page.title()).replace(/\D/g, '');
  await deed('a visitor pays', () => visitor.reportPayment());
  await deed('the owner processes the claim', () => complete(page, locale, number));
  await visitor.expectSuccess(id);

  // Nothing is left to do. What the page before asked is not the answer.
  await page.goto('about:blank');
  const [setup] = await Promise.all([page.waitForResponse('**/api/admin/v1/setup'), page.goto('/admin/')]);
  expect(await setup.json()).toMatchObject({ completed: true });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(owner.checklist).toBeHidden();
  await expect.poll(() => mail?.recipients).toEqual(expect.arrayContaining([owner.email, visitor.email]));
  // The browser reports the refusals that ask for a second factor, and for a confirmation.
  expect(errors.flat().filter((message) => !/status of 403/.test(message))).toEqual([]);
  await guest.close();
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(`\nOpen a shop, ${engine}: ${deeds.length} steps, ${seconds} s: ${deeds.join(', ')}\n`);
});
