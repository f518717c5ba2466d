import { type Browser, expect, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { Customer } from '../support/customer.ts';
import { dictionary, localeOfEngine } from '../support/dictionary.ts';
import { Mailbox } from '../support/mailbox.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, OWNER, StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';
import { Visitor } from '../support/visitor.ts';

test.use({ scenario: 'customer rewards' });

/** How long it may take until a periodic job runs. */
const JOBS_MS = 75_000;

const MINUTE_MS = 60_000;

/** Minutes after which commissions are due. */
const AN_HOUR_LATER = 61;

/** A visitor with another browser and client address, so that no referrer is taken to refer themselves. */
async function otherVisitor(browser: Browser, root: string, address: string): Promise<Visitor> {
  const headers = { 'x-forwarded-for': address };
  const context = await browser.newContext({ baseURL: root, extraHTTPHeaders: headers, locale: localeOfEngine() });
  return new Visitor(await context.newPage(), localeOfEngine(), `visitor-${address}@example.com`);
}

/** The number beside a name on the page. */
async function numberAt(page: Page, name: string | undefined): Promise<number> {
  const fact = page.locator('dl > div').filter({ has: page.locator('dt', { hasText: name as string }) });
  const text = await fact.locator('dd').first().innerText();
  const [number = ''] = /^[\d.,]+/.exec(text) ?? [];
  return Number(number.replace(',', localeOfEngine() === 'ru' ? '.' : ''));
}

// The commission of the first test is due after an hour, which passes before the last one.
test.describe.configure({ mode: 'serial' });

/** The claim that earned a commission, and the referrer. */
const earned = { claim: '', email: '' };

test('a referrer earns a commission on a referred exchange', async ({ browser, app, page, request }) => {
  const mailbox = await Mailbox.open(request);
  await (await StaffApi.signIn(request)).enableReferrals();
  const referrer = new Customer(page, localeOfEngine());
  earned.email = referrer.email;
  await referrer.createAccount(mailbox);
  await referrer.go('/account/referrer');
  await referrer.signIn();
  await referrer.expectAt('/account/referrer');
  const { texts } = referrer;
  const code = page.locator('p', { hasText: texts['referrer.code'] as string }).locator('b');
  const link = `/?rid=${await code.innerText()}`;
  expect(await numberAt(page, texts['referrer.pending'])).toBe(0);

  const guest = await otherVisitor(browser, app.root, '10.1.1.1');
  const visit = guest.page.waitForResponse((answer) => answer.url().includes('/referral/visits/'));
  await guest.page.goto(`${referrer.root}${link}`);
  expect((await visit).ok()).toBe(true);
  earned.claim = await guest.pay();

  const customer = new Customer(guest.page, localeOfEngine(), guest.email);
  await customer.go('/account');
  await customer.press('sign_up.title');
  const dialog = customer.dialog('sign_up.title');
  await dialog.getByRole('textbox', { name: texts.email }).fill(customer.email);
  await dialog.getByRole('textbox', { name: texts.password }).fill(customer.password);
  await customer.press('sign_up.submit');
  await expect(customer.dialog('sent.title')).toContainText(customer.email);
  await guest.page.goto(await mailbox.link(customer.email, 'account_activation'));
  await customer.signIn();
  await expect(guest.page.getByRole('dialog').getByRole('button', { name: 'Ok' })).toBeVisible();

  await (await StaffApi.signIn(request, OPERATOR)).completeClaim(earned.claim);
  await page.reload();
  await expect(page.getByText(texts['referrer.pending'] as string, { exact: true })).toBeVisible();
  // A tenth of what was exchanged, which is about a thousand dollars.
  expect(await numberAt(page, texts['referrer.pending'])).toBeGreaterThan(80);
  const steps = page.locator('ol > li').filter({ has: page.locator('b') });
  for (const name of ['referrer.visits', 'referrer.registrations', 'referrer.claims']) {
    await expect(steps.filter({ hasText: texts[name] as string }).locator('b')).toHaveText('1');
  }
  await guest.page.context().close();
});

test('volume and a promo code improve the rate, but not that of an existing claim', async ({ page, request }) => {
  const owner = await StaffApi.signIn(request);
  const operator = await StaffApi.signIn(request, OPERATOR);
  await owner.setDiscount('100', '0.2');
  await owner.call('POST', '/discounts/promos', { code: 'SPRING', percent: '0.1' });
  const customer = new Customer(page, localeOfEngine());
  await customer.createAccount(await Mailbox.open(request));
  await customer.go('');
  await customer.openSignIn();
  await customer.signIn();
  await expect(customer.menu).toBeVisible();

  const visitor = new Visitor(page, localeOfEngine(), customer.email);
  const leave = async (roubles: number) => {
    await visitor.fillIn(roubles);
    await visitor.submit();
    return visitor.confirm();
  };
  const before = await leave(90_000);
  const terms = async () => {
    const { bonus, course } = await (await request.get(`/api/v1/claim/${before}/form/`)).json();
    return { bonus, course };
  };
  const agreed = await terms();
  expect(agreed.bonus).toBe('0');
  const next = await leave(91_000);
  await visitor.reportPayment();
  await operator.completeClaim(next);

  const more = (percent: string) => (localeOfEngine() === 'ru' ? `${percent.replace('.', ',')}\u00a0%` : `${percent}%`);
  const why = page.getByRole('status');
  await visitor.fillIn();
  await expect(page.getByText(`+${more('0.2')}`)).toBeVisible();
  await expect(why.filter({ hasText: more('0.2') })).toBeVisible();
  await page.getByRole('button', { name: dictionary(localeOfEngine(), 'home').promo_open, exact: true }).click();
  await customer.field('promo.label').fill('spring');
  await customer.press('promo.apply');
  await expect(page.getByText(`+${more('0.3')}`)).toBeVisible();
  await expect(why.filter({ hasText: /SPRING\D+0[.,]1/ })).toBeVisible();
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(await terms()).toEqual(agreed);
});

test('a contest is planned, entered and drawn, and anybody can verify the draw', async ({
  browser,
  app,
  page,
  request,
}) => {
  await (await StaffApi.signIn(request)).call('PUT', '/settings', { 'site.contest': true });
  const admin = new Console(page, localeOfEngine(), OWNER);
  const { contests, things, fields } = admin.texts;
  await admin.open();
  await admin.signIn();
  await admin.openContests();
  await admin.press(contests.add);
  for (const [label, text] of [
    [contests.titleRu, 'Летний розыгрыш'],
    [contests.titleEn, 'Summer draw'],
    [contests.rulesRu, 'Каждый обмен — билет.'],
    [contests.rulesEn, 'Each exchange is a ticket.'],
    [contests.sourceRu, 'Хеш первого блока Bitcoin после срока'],
    [contests.sourceEn, 'Hash of the first Bitcoin block after the time'],
  ] as const) {
    await admin.fill(label, text);
  }
  // In the time of the browser, which is Moscow's. The period begins as soon as it may, to the second; the field drops a whole minute's.
  const soon = new Date(Date.now() + 8_000);
  if (soon.getUTCSeconds() === 0) soon.setUTCSeconds(1);
  const field = (at: number) => new Date(at + 3 * 3_600_000).toISOString();
  await admin.fill(contests.volumePerTicket.replace('%{base}', 'USDT'), '');
  await admin.fill(`${contests.prize.replace('%{place}', '1')}: ${fields.amount}`, '100');
  await admin.dialog.getByRole('combobox', { name: things.currency }).click();
  await page.getByRole('option', { name: 'USDTTRC20' }).click();
  await admin.fill(contests.startsAt, field(soon.getTime()).slice(0, 19));
  await admin.fill(contests.endsAt, field(Date.now() + 30 * MINUTE_MS).slice(0, 16));
  await admin.fill(contests.publicAt, field(Date.now() + 60 * MINUTE_MS).slice(0, 16));
  await admin.press(admin.texts.action.save);
  const title = { ru: 'Летний розыгрыш', en: 'Summer draw' }[localeOfEngine()];
  await page.getByRole('button', { name: title }).click();
  // The commitment is public before the contest begins.
  const commitment = await page
    .getByText(/^[0-9a-f]{64}$/)
    .first()
    .innerText();
  await expectAccessible(page);

  const guest = await otherVisitor(browser, app.root, '10.1.1.2');
  const claim = await guest.pay();
  await expect.poll(() => Date.now()).toBeGreaterThan(soon.getTime());
  await (await StaffApi.signIn(request, OPERATOR)).completeClaim(claim);
  const root = localeOfEngine() === 'en' ? '/en' : '';
  const texts = dictionary(localeOfEngine(), 'contest');
  await guest.page.goto(`${root}/contest`);
  await expect(guest.page.getByText(commitment)).toBeVisible();
  await expectAccessible(guest.page);

  // An hour later, for the server and for the operator's browser.
  app.putAhead(AN_HOUR_LATER);
  await page.addInitScript((ahead) => {
    const real = Date.now;
    Date.now = () => real() + ahead;
  }, AN_HOUR_LATER * MINUTE_MS);
  await page.reload();
  await expect(page.getByRole('button', { name: contests.draw, exact: true })).toBeEnabled({ timeout: JOBS_MS });
  await admin.press(contests.draw);
  await admin.fill(contests.value, '00000000000000000000c9b4a1');
  await admin.fill(contests.reference, 'Block 841564');
  await admin.press(contests.propose);
  await admin.confirm();
  await expect(page.getByText(admin.texts.approvals.sent)).toBeVisible();
  await (await StaffApi.signIn(request)).approveAll();
  await page.reload();
  await expect(page.getByText(contests.owed, { exact: true })).toBeVisible();

  const drawn = guest.page.getByRole('listitem').filter({ hasText: title });
  await guest.page.goto(`${root}/contest`);
  await expect(drawn.getByRole('list', { name: texts.winners })).toContainText('№');
  await drawn.getByRole('button', { name: texts.check }).click();
  await expect(drawn.getByText(texts.check_right as string)).toBeVisible();
  await expectAccessible(guest.page);
  await expectNoOverflow(guest.page);
  const file = await drawn.getByRole('link', { name: texts.file }).getAttribute('href');
  expect(app.run('contest', 'verify', app.root + file)).toMatch(/^The draw is valid: 1 entries, winners \d+\.$/m);
  await guest.page.context().close();
});

test('a returned payout takes the commission back', async ({ app, page, request }) => {
  app.putAhead(AN_HOUR_LATER);
  const referrer = new Customer(page, localeOfEngine(), earned.email);
  const { texts } = referrer;
  const balance = () => numberAt(page, texts['referrer.available']);
  await referrer.go('/account/referrer');
  await referrer.signIn();
  await referrer.expectAt('/account/referrer');
  const reloadedBalance = async () => {
    await page.reload();
    await expect(page.getByText(texts['referrer.available'] as string, { exact: true })).toBeVisible();
    return balance();
  };
  await expect.poll(reloadedBalance, { timeout: JOBS_MS }).toBeGreaterThan(80);
  const all = await balance();

  // An open page is not enough to withdraw: it takes the password.
  await referrer.press('referrer.withdraw');
  await referrer.field('referrer.amount').fill('10');
  const [, details] = await page
    .locator('form', { has: referrer.field('password.present') })
    .getByRole('textbox')
    .all();
  await details?.fill('TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf');
  await referrer.field('password.present').fill('not the password');
  await referrer.press('referrer.withdraw');
  await expect(referrer.field('password.present')).toHaveAttribute('aria-invalid', 'true');
  await expectNoOverflow(page);
  await referrer.field('password.present').fill(referrer.password);
  await referrer.press('referrer.withdraw');
  await expect(page.getByText(texts['referrer.requested'] as string)).toBeVisible();
  const operator = await StaffApi.signIn(request, OPERATOR);
  const { items } = await operator.call('GET', '/referral/withdrawals');
  const { id, revision } = await operator.call('GET', `/referral/withdrawals/${items[0].id}`);
  const refusal = { action: 'refuse', revision, reason: 'Another network, please.' };
  await operator.call('POST', `/referral/withdrawals/${id}/steps`, refusal);
  expect(await reloadedBalance()).toBe(all);

  await operator.act(earned.claim, 'payout_returned', { reason: 'payout_returned' });
  expect(await reloadedBalance()).toBe(0);
  expect(await numberAt(page, texts['referrer.pending'])).toBe(0);
  await expect(page.getByText(texts['referrer.debt'] as string)).toHaveCount(0);
});
