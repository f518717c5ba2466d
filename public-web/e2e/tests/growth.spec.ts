import { type Browser, expect, type Page } from '@playwright/test';
import { Console } from './console.ts';
import { test } from './house.ts';
import { Mailbox } from './mailbox.ts';
import { Member } from './member.ts';
import { Operator } from './operator.ts';
import { OWNER, Owner } from './owner.ts';
import { expectAccessible, expectNoOverflow } from './page.ts';
import { Partner } from './partner.ts';
import { Visitor } from './visitor.ts';
import { type Locale, words } from './words.ts';

test.use({ stories: 'growth' });

/** Each engine in a language of its own. */
const LOCALES: Record<string, Locale> = { sqlite: 'ru', postgres: 'en' };

/** How long it may take until the house does by itself what has come due. */
const JOBS_MS = 75_000;

const MINUTE_MS = 60_000;

/** Minutes after which what waits for an hour is due. */
const AN_HOUR_LATER = 61;

const locale = (): Locale => LOCALES[test.info().project.name] ?? 'ru';

/** Somebody at another browser and another address, so that nobody takes them for a referrer. */
async function stranger(browser: Browser, root: string, address: string): Promise<Visitor> {
  const headers = { 'x-forwarded-for': address };
  const context = await browser.newContext({ baseURL: root, extraHTTPHeaders: headers, locale: locale() });
  return new Visitor(await context.newPage(), locale(), `stranger-${address}@example.com`);
}

/** The number behind a name on the page. */
async function numberAt(page: Page, name: string | undefined): Promise<number> {
  const fact = page.locator('dl > div').filter({ has: page.locator('dt', { hasText: name as string }) });
  const text = await fact.locator('dd').first().innerText();
  const [number = ''] = /^[\d.,]+/.exec(text) ?? [];
  return Number(number.replace(',', locale() === 'ru' ? '.' : ''));
}

// What was earned in the first of these journeys waits for an hour, which the last of them lets pass.
test.describe.configure({ mode: 'serial' });

/** The claim that brought the referrer something, and the referrer. */
const earned = { claim: '', email: '' };

test('a referrer earns by whoever comes by the link, exchanges, and signs up', async ({
  browser,
  house,
  page,
  request,
}) => {
  const mailbox = await Mailbox.open(request);
  await (await Owner.signIn(request)).paysReferrers();
  const referrer = new Member(page, locale());
  earned.email = referrer.email;
  await referrer.makeAccount(mailbox);
  await referrer.go('/account/referrer');
  await referrer.signIn();
  await referrer.expectAt('/account/referrer');
  const { words: said } = referrer;
  const code = page.locator('p', { hasText: said['referrer.code'] as string }).locator('b');
  const link = `/?rid=${await code.innerText()}`;
  expect(await numberAt(page, said['referrer.pending'])).toBe(0);

  const guest = await stranger(browser, house.root, '10.1.1.1');
  const told = guest.page.waitForResponse((answer) => answer.url().includes('/referral/visits/'));
  await guest.page.goto(`${referrer.root}${link}`);
  expect((await told).ok()).toBe(true);
  await guest.fillIn();
  await guest.leave();
  earned.claim = await guest.confirm();
  await guest.sayPaid();

  const member = new Member(guest.page, locale(), guest.email);
  await member.go('/account');
  await member.press('sign_up.title');
  const dialog = member.dialog('sign_up.title');
  await dialog.getByRole('textbox', { name: said.email }).fill(member.email);
  await dialog.getByRole('textbox', { name: said.password }).fill(member.password);
  await member.press('sign_up.submit');
  await expect(member.dialog('sent.title')).toContainText(member.email);
  await guest.page.goto(await mailbox.link(member.email, 'account_activation'));
  await expect(guest.page.getByRole('dialog').getByRole('button', { name: 'Ok' })).toBeVisible();

  await (await Operator.signIn(request)).completes(earned.claim);
  await page.reload();
  await expect(page.getByText(said['referrer.pending'] as string, { exact: true })).toBeVisible();
  // A tenth of what was sent, which is worth about a thousand dollars.
  expect(await numberAt(page, said['referrer.pending'])).toBeGreaterThan(80);
  const steps = page.locator('ol > li').filter({ has: page.locator('b') });
  for (const name of ['referrer.visits', 'referrer.registrations', 'referrer.claims']) {
    await expect(steps.filter({ hasText: said[name] as string }).locator('b')).toHaveText('1');
  }
  await guest.page.context().close();
});

test('a customer gets more for volume and for a promo code, and a claim keeps what it had', async ({
  page,
  request,
}) => {
  const owner = await Owner.signIn(request);
  const operator = await Operator.signIn(request);
  await owner.givesDiscounts('100', '0.2');
  await owner.calls('POST', '/discounts/promos', { code: 'SPRING', percent: '0.1' });
  const member = new Member(page, locale());
  await member.makeAccount(await Mailbox.open(request));
  await member.go('');
  await member.openSignIn();
  await member.signIn();
  await expect(member.menu).toBeVisible();

  const visitor = new Visitor(page, locale(), member.email);
  const leave = async (roubles: number) => {
    await visitor.fillIn(roubles);
    await visitor.leave();
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
  await visitor.sayPaid();
  await operator.completes(next);

  const more = (percent: string) => `${locale() === 'ru' ? percent.replace('.', ',') : percent}\u00a0%`;
  const why = page.getByRole('status');
  await visitor.fillIn();
  await expect(page.getByText(`+${more('0.2')}`)).toBeVisible();
  await expect(why.filter({ hasText: more('0.2') })).toBeVisible();
  await page.getByRole('button', { name: words(locale(), 'home').promo_open, exact: true }).click();
  await member.field('promo.label').fill('spring');
  await member.press('promo.apply');
  await expect(page.getByText(`+${more('0.3')}`)).toBeVisible();
  await expect(why.filter({ hasText: /SPRING\D+0[.,]1/ })).toBeVisible();
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(await terms()).toEqual(agreed);
});

test('a partner gets a key in the console and brings a claim with it', async ({ house, page }) => {
  const desk = new Console(page, locale(), OWNER);
  const { partners } = desk.words;
  await desk.open();
  await desk.signIn();
  await desk.openPartners();
  await desk.press(partners.add);
  await desk.fill(partners.name, 'Corner shop');
  await desk.fill(partners.email, 'shop@example.com');
  await desk.press(desk.words.action.save);
  await desk.confirm();
  await desk.press(partners.kept);
  await page.getByRole('link', { name: 'Corner shop' }).click();
  await desk.press(partners.newKey);
  await desk.fill(partners.keyTitle, 'Till');
  await desk.dialog.getByLabel(partners.sandbox, { exact: true }).click();
  await desk.press(partners.makeKey);
  await expect(desk.dialog.locator('code')).toHaveCount(2);
  const [key = '', secret = ''] = await desk.dialog.locator('code').allInnerTexts();
  await expectAccessible(page);
  await desk.press(partners.kept);

  const number = await new Partner(house.root, key, secret).claims('BTC', 'SBERRUB', '0.01', 'buyer@example.com');
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: 'BTC → SBERRUB' })).toBeVisible();
  await expectAccessible(page);
  await desk.openDesk();
  await expect(desk.row(number)).toContainText(desk.words.status.awaiting_payment);
});

test('a contest is planned, entered, drawn, and the draw is checked by everybody', async ({
  browser,
  house,
  page,
  request,
}) => {
  await (await Owner.signIn(request)).calls('PUT', '/settings', { 'site.contest': true });
  const desk = new Console(page, locale(), OWNER);
  const { contests } = desk.words;
  await desk.open();
  await desk.signIn();
  await desk.openContests();
  await desk.press(contests.add);
  for (const [label, text] of [
    [contests.titleRu, 'Летний розыгрыш'],
    [contests.titleEn, 'Summer draw'],
    [contests.rulesRu, 'Каждый обмен — билет.'],
    [contests.rulesEn, 'Each exchange is a ticket.'],
    [contests.sourceRu, 'Хеш первого блока Bitcoin после срока'],
    [contests.sourceEn, 'Hash of the first Bitcoin block after the time'],
  ] as const) {
    await desk.fill(label, text);
  }
  // In the time of the browser, which is Moscow's. The period begins as soon as it may, to the second; the field drops a whole minute's.
  const soon = new Date(Date.now() + 8_000);
  if (soon.getUTCSeconds() === 0) soon.setUTCSeconds(1);
  const field = (at: number) => new Date(at + 3 * 3_600_000).toISOString();
  await desk.fill(contests.perWorth.replace('%{base}', 'USDT'), '');
  await desk.fill(`${contests.prize.replace('%{place}', '1')}: ${contests.amount}`, '100');
  await desk.dialog.getByRole('combobox', { name: contests.currency }).click();
  await page.getByRole('option', { name: 'USDTTRC20' }).click();
  await desk.fill(contests.startsAt, field(soon.getTime()).slice(0, 19));
  await desk.fill(contests.endsAt, field(Date.now() + 30 * MINUTE_MS).slice(0, 16));
  await desk.fill(contests.publicAt, field(Date.now() + 60 * MINUTE_MS).slice(0, 16));
  await desk.press(desk.words.action.save);
  const title = { ru: 'Летний розыгрыш', en: 'Summer draw' }[locale()];
  await page.getByRole('button', { name: title }).click();
  // What the house commits to is public before anything happens.
  const commitment = await page
    .getByText(/^[0-9a-f]{64}$/)
    .first()
    .innerText();
  await expectAccessible(page);

  const guest = await stranger(browser, house.root, '10.1.1.2');
  await guest.fillIn();
  await guest.leave();
  const claim = await guest.confirm();
  await guest.sayPaid();
  await expect.poll(() => Date.now()).toBeGreaterThan(soon.getTime());
  await (await Operator.signIn(request)).completes(claim);
  const root = locale() === 'en' ? '/en' : '';
  const said = words(locale(), 'contest');
  await guest.page.goto(`${root}/contest`);
  await expect(guest.page.getByText(commitment)).toBeVisible();
  await expectAccessible(guest.page);

  // An hour later, for the house and for the operator.
  house.putAhead(AN_HOUR_LATER);
  await page.addInitScript((ahead) => {
    const real = Date.now;
    Date.now = () => real() + ahead;
  }, AN_HOUR_LATER * MINUTE_MS);
  await page.reload();
  await expect(page.getByRole('button', { name: contests.draw, exact: true })).toBeEnabled({ timeout: JOBS_MS });
  await desk.press(contests.draw);
  await desk.fill(contests.value, '00000000000000000000c9b4a1');
  await desk.fill(contests.reference, 'Block 841564');
  await desk.press(contests.propose);
  await desk.confirm();
  await expect(page.getByText(desk.words.approvals.sent)).toBeVisible();
  await (await Owner.signIn(request)).hasAColleagueApprove();
  await page.reload();
  await expect(page.getByText(contests.owed, { exact: true })).toBeVisible();

  const drawn = guest.page.getByRole('listitem').filter({ hasText: title });
  await guest.page.goto(`${root}/contest`);
  await expect(drawn.getByRole('list', { name: said.winners })).toContainText('№');
  await drawn.getByRole('button', { name: said.check }).click();
  await expect(drawn.getByText(said.check_right as string)).toBeVisible();
  await expectAccessible(guest.page);
  await expectNoOverflow(guest.page);
  const file = await drawn.getByRole('link', { name: said.file }).getAttribute('href');
  expect(house.says('contest', 'verify', house.root + file)).toMatch(/^The draw is right: 1 entries, winners \d+\.$/m);
  await guest.page.context().close();
});

test('what was earned leaves the balance when the payout comes back', async ({ house, page, request }) => {
  house.putAhead(AN_HOUR_LATER);
  const referrer = new Member(page, locale(), earned.email);
  const { words: said } = referrer;
  const balance = () => numberAt(page, said['referrer.available']);
  await referrer.go('/account/referrer');
  await referrer.signIn();
  await referrer.expectAt('/account/referrer');
  const looksAgain = async () => {
    await page.reload();
    await expect(page.getByText(said['referrer.available'] as string, { exact: true })).toBeVisible();
    return balance();
  };
  await expect.poll(looksAgain, { timeout: JOBS_MS }).toBeGreaterThan(80);
  await (await Operator.signIn(request)).act(earned.claim, 'payout_returned', { reason: 'payout_returned' });
  expect(await looksAgain()).toBe(0);
  expect(await numberAt(page, said['referrer.pending'])).toBe(0);
  await expect(page.getByText(said['referrer.debt'] as string)).toHaveCount(0);
});
