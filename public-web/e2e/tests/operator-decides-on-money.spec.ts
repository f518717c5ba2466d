import { type Browser, expect, type Page } from '@playwright/test';
import { Console } from './console.ts';
import { type House, test } from './house.ts';
import { OWNER, Owner } from './owner.ts';
import { expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import type { Locale } from './words.ts';

test.use({ stories: 'operator decides on money' });

/** Each engine in a language of its own. */
const LOCALES: Record<string, Locale> = { sqlite: 'ru', postgres: 'en' };
const locale = (): Locale => LOCALES[test.info().project.name] ?? 'ru';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };

/** Minutes after which no rate is promised any longer. */
const PAST_THE_DEADLINE = 40;

const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

/** The beginning of what the console says, up to the first value in it. */
const start = (words: string) => (words.split('%{')[0] as string).trim();

/** An operator at the open desk. */
async function atTheDesk(page: Page): Promise<Console> {
  const desk = new Console(page, locale());
  await page.setViewportSize(DESKTOP);
  await desk.confirmsAlways();
  await desk.open();
  await desk.signIn();
  await desk.openDesk();
  return desk;
}

/** A guest at a browser of their own, whose claim is reported as paid. */
async function reported(browser: Browser, house: House): Promise<{ visitor: Visitor; id: string; number: string }> {
  const context = await browser.newContext({ baseURL: house.root, locale: locale() });
  const visitor = new Visitor(await context.newPage(), locale());
  await visitor.fillIn();
  await visitor.leave();
  const id = await visitor.confirm();
  await visitor.sayPaid();
  const number = (await visitor.page.title()).replace(/\D/g, '');
  return { visitor, id, number };
}

/** Opens a claim that stands on the desk: by the keyboard, for rows move under a pointer while others arrive. */
async function opens(desk: Console, number: string): Promise<void> {
  await desk.row(number).getByRole('link').press('Enter');
  await expect(desk.panel).toContainText(desk.words.claim.timeline);
}

/** Everything on the screen can be used by everybody, on a phone as well. */
async function expectFit(page: Page): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
}

// The clock only goes ahead, and the last story has payments decided by two people from then on.
test.describe.configure({ mode: 'serial' });

test('another amount brings what it is worth, and as agreed only by two people', async ({ browser, house, page }) => {
  const desk = await atTheDesk(page);
  const { asAgreed, moves, consent, approvals } = desk.words;
  const { visitor, number } = await reported(browser, house);
  await opens(desk, number);
  await desk.choose(moves.amount_mismatch.label);
  await desk.dialog.getByRole('textbox', { name: /BTC$/ }).fill('0.0117');
  await desk.agree(moves.amount_mismatch.do);
  await desk.expectState('amount_mismatch');

  // What was agreed on is dear for so little: it is said how dear, and a second person is asked.
  await desk.choose(asAgreed.proposed.label);
  await expect(desk.dialog).toContainText(desk.words.recalculation.cost.exchange.split('%{amount}')[1] as string);
  await expectFit(page);
  await desk.agree(asAgreed.proposed.do);
  const waiting = desk.panel
    .getByRole('status')
    .filter({ hasText: consent.override.waiting.split('%{name}')[1]?.slice(0, 20) });
  await expect(waiting).toBeVisible();
  await expect(desk.step('recalculate')).toBeVisible();
  await waiting.getByRole('button', { name: approvals.withdraw }).click();
  await expect(waiting).toBeHidden();

  // The usual way is the payout for what came, as it is shown before.
  const [shown] = await Promise.all([page.waitForResponse(/\/recalculation$/), desk.pressMain()]);
  const preview = await shown.json();
  expect(Number(preview.receive)).toBeLessThan(Number(preview.agreed.receive));
  await expect(desk.dialog.getByRole('table')).toBeVisible();
  await expectFit(page);
  const [moved] = await Promise.all([page.waitForResponse(/\/transitions$/), desk.agree(moves.recalculate.do)]);
  const claim = await moved.json();
  expect([claim.status, claim.to.amount]).toEqual(['paid', preview.receive]);
  await desk.expectState('paid');
  await visitor.expectState('paid');
  await visitor.page.context().close();
});

test('a part that was paid out is remembered, with what is left', async ({ browser, house, page }) => {
  const desk = await atTheDesk(page);
  const { moves, rest, claim, claims, ask } = desk.words;
  const { visitor, id, number } = await reported(browser, house);
  await opens(desk, number);
  await desk.step('payment_received').click();
  await desk.agree(moves.payment_received.do);
  await desk.expectState('paid');
  await desk.pressMain();
  await desk.expectState('processing');
  await desk.pressMain();
  await desk.fill(ask.txId, `first-${id}`);
  await desk.agree(moves.payout_sent.do);
  await desk.expectState('payout_sent');

  await desk.choose(moves.payout_partial.label);
  await desk.dialog.getByRole('textbox').first().fill('40 000');
  await desk.agree(moves.payout_partial.do);
  await desk.expectState('payout_partial');
  const fact = (name: string) => desk.panel.locator('dl > div').filter({ has: page.locator('dt', { hasText: name }) });
  await expect(fact(claim.paidOut)).toContainText(/40[\s,]000/);
  await expect(fact(claim.left)).toContainText(/(49|50)[\s,]\d{3}/);
  await expect(desk.row(number)).toContainText(start(claims.part));

  // Only the rest is sent.
  await desk.pressMain();
  await expect(desk.dialog.getByRole('heading')).toContainText(start(rest.payout_sent.title));
  await expect(desk.dialog.getByRole('heading')).toContainText(/(49|50)[\s,]\d{3}/);
  await expectFit(page);
  await desk.fill(ask.txId, `rest-${id}`);
  await desk.agree(rest.payout_sent.do);
  await desk.expectState('payout_sent');
  await visitor.page.context().close();
});

test('a payment after the deadline is late, whatever was said', async ({ browser, house, page, request }) => {
  const desk = await atTheDesk(page);
  const { moves, deadline, ask } = desk.words;
  const [inTime, late] = [await reported(browser, house), await reported(browser, house)];

  // The rate falls far, and then the deadline passes.
  const owner = await Owner.signIn(request);
  const [currencies, pairs] = [await owner.calls('GET', '/currencies'), await owner.calls('GET', '/pairs')];
  const idOf = (code: string) => currencies.find((currency: { code: string }) => currency.code === code).id;
  const [from, to] = [idOf('BTC'), idOf('SBERRUB')];
  const pair = pairs.find((one: { fromId: number; toId: number }) => one.fromId === from && one.toId === to);
  const { revision } = await owner.calls('PATCH', `/pairs/${pair.id}`, { revision: pair.revision, spreadPercent: '9' });
  house.putAhead(PAST_THE_DEADLINE);

  // One came in time, as the bank says: the agreed rate holds for it.
  await page.goto(`/admin/claims/${inTime.id}`);
  await expect(desk.panel).toContainText(start(deadline.passed));
  await expect(desk.panel).toContainText(start(deadline.moved.over));
  await expectFit(page);
  await desk.step('payment_received').click();
  await expect(desk.dialog).toContainText(start(deadline.passed));
  const now = await page.evaluate(() => {
    const local = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 16);
  });
  await desk.fill(ask.paidAt, now);
  await expectFit(page);
  await desk.agree(moves.payment_received.do);
  await desk.expectState('paid');

  // The other came now.
  await page.goto(`/admin/claims/${late.id}`);
  await desk.step('payment_received').click();
  await desk.agree(moves.payment_received.do);
  await desk.expectState('late_payment');
  await expect(page.getByText(deadline.becameLate)).toBeVisible();

  // The owner's session has ended by then.
  const again = await Owner.signIn(request);
  await again.calls('PATCH', `/pairs/${pair.id}`, { revision, spreadPercent: pair.spreadPercent });
  for (const { visitor } of [inTime, late]) await visitor.page.context().close();
});

test('a refund leaves once somebody said where to and two people saw it', async ({ browser, house, page, request }) => {
  const owner = await Owner.signIn(request);
  await owner.calls('PUT', '/settings', { 'approvals.four_eyes': 'true', 'approvals.refund_limit': '0' });
  const desk = await atTheDesk(page);
  const { moves, proposals, returned, reasons, ask, consent, approvals } = desk.words;
  const { visitor, id, number } = await reported(browser, house);
  await opens(desk, number);
  await desk.step('payment_received').click();
  await desk.agree(moves.payment_received.do);
  await desk.expectState('paid');
  await desk.choose(moves.refund.label);
  await desk.dialog.getByRole('combobox').click();
  await page.getByRole('option', { name: reasons.customer_asked }).click();
  await desk.agree(moves.refund.do);

  // Nobody said where to: nothing can be sent, and the customer is asked.
  await expect(desk.panel).toContainText(returned.waiting);
  await expect(desk.panel).toContainText(returned.missing);
  await expect(desk.step('refund_sent')).toBeHidden();
  await expectFit(page);
  await desk.panel.getByRole('button', { name: returned.enter }).click();
  await desk.dialog.getByRole('textbox').first().fill('no address at all');
  await desk.dialog.getByRole('textbox').last().fill('They told me in the chat.');
  await desk.agree(desk.words.action.save);
  await expect(desk.dialog.getByRole('textbox').first()).toHaveAttribute('aria-invalid', 'true');
  await expectFit(page);
  await desk.dialog.getByRole('textbox').first().fill(ADDRESS);
  await desk.agree(desk.words.action.save);
  await desk.expectState('refund_pending');
  await expect(desk.panel).not.toContainText(returned.missing);

  // A second person sees how much goes where before they agree.
  await desk.choose(proposals.refund_sent.label);
  await expect(desk.dialog).toContainText(returned.fee);
  await expectFit(page);
  await desk.agree(proposals.refund_sent.do);
  await expect(desk.panel).toContainText(consent.waiting.split('%{name}')[1]?.split('%{at}')[0]?.trim() as string);
  const context = await browser.newContext({ baseURL: house.root, locale: locale() });
  const second = new Console(await context.newPage(), locale(), OWNER);
  await second.confirmsAlways();
  await second.open();
  await second.signIn();
  await second.openApprovals();
  const proposal = second.page.getByRole('article').filter({ hasText: number });
  await expect(proposal).toContainText(ADDRESS);
  await expect(proposal).toContainText(/0[.,]01\d* BTC/);
  await expectFit(second.page);
  await proposal.getByRole('button', { name: approvals.approve }).click();
  await expect(second.dialog).toContainText(ADDRESS);
  await second.agree(approvals.approve);
  // Whatever is behind a dialog is hidden as well: the decision is made once the dialog has gone.
  await expect(second.dialog).toBeHidden();
  await expect(proposal).toBeHidden();
  await context.close();

  // Whoever has the claim open learns what the second person decided, by itself.
  await expect(desk.panel).not.toContainText(consent.waiting.split('%{name}')[1]?.split('%{at}')[0]?.trim() as string);
  await desk.choose(moves.refund_sent.label);
  await desk.fill(ask.txId, `back-${id}`);
  await desk.agree(moves.refund_sent.do);
  await desk.expectState('refund_sent');
  await visitor.page.context().close();
});
