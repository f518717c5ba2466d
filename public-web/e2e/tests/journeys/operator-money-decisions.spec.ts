import { type Browser, expect, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { localeOfEngine } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OWNER, StaffApi } from '../support/staff-api.ts';
import { type TestApp, test } from '../support/test-app.ts';
import { Visitor } from '../support/visitor.ts';

test.use({ scenario: 'operator money decisions' });

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };

/** Minutes after which no agreed rate holds. */
const PAST_THE_DEADLINE = 40;

const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

/** The part of a text before its first placeholder. */
const start = (text: string) => (text.split('%{')[0] as string).trim();

/** An operator who has opened the queue. */
async function openAdmin(page: Page): Promise<Console> {
  const admin = new Console(page, localeOfEngine());
  await page.setViewportSize(DESKTOP);
  await admin.enter();
  await admin.openQueue();
  return admin;
}

/** A guest in a browser of their own, who has reported a payment. */
async function reported(browser: Browser, app: TestApp): Promise<{ visitor: Visitor; id: string; number: string }> {
  const context = await browser.newContext({ baseURL: app.root, locale: localeOfEngine() });
  const visitor = new Visitor(await context.newPage(), localeOfEngine());
  const id = await visitor.pay();
  const number = (await visitor.page.title()).replace(/\D/g, '');
  return { visitor, id, number };
}

/** Opens a claim of the queue by the keyboard: rows move under a pointer while others arrive. */
async function openClaim(admin: Console, number: string): Promise<void> {
  await admin.row(number).getByRole('link').press('Enter');
  await expect(admin.panel).toContainText(admin.texts.claim.timeline);
}

/** The screen is accessible and fits, on a phone as well. */
async function expectFit(page: Page): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
}

// The clock only goes ahead, and the last test turns two-person approval on.
test.describe.configure({ mode: 'serial' });

test('a different amount is recalculated, and paid as agreed only by two people', async ({ browser, app, page }) => {
  const admin = await openAdmin(page);
  const { asAgreed, moves, consent, action, ask } = admin.texts;
  const { visitor, id, number } = await reported(browser, app);
  await openClaim(admin, number);
  await admin.choose(moves.amount_mismatch.label);
  await admin.dialog.getByRole('textbox', { name: /BTC$/ }).fill('0.0117');
  await admin.fill(ask.txId, `in-${id}`);
  await admin.agree(moves.amount_mismatch.do);
  await admin.expectState('amount_mismatch');

  // Paying as agreed costs the exchange: the dialog names the cost, and a second person decides.
  await admin.choose(asAgreed.approval.label);
  await expect(admin.dialog).toContainText(admin.texts.recalculation.cost.exchange.split('%{amount}')[1] as string);
  await expectFit(page);
  await admin.agree(asAgreed.approval.do);
  const waiting = admin.panel
    .getByRole('status')
    .filter({ hasText: consent.override.waiting.split('%{name}')[1]?.slice(0, 20) });
  await expect(waiting).toBeVisible();
  await expect(admin.step('recalculate')).toBeVisible();
  await waiting.getByRole('button', { name: action.withdraw }).click();
  await expect(waiting).toBeHidden();

  // By default the payout is recalculated from the amount that arrived, after a preview.
  const [shown] = await Promise.all([page.waitForResponse(/\/recalculation$/), admin.pressMain()]);
  const preview = await shown.json();
  expect(Number(preview.receive)).toBeLessThan(Number(preview.agreed.receive));
  await expect(admin.dialog.getByRole('table')).toBeVisible();
  await expectFit(page);
  const [moved] = await Promise.all([page.waitForResponse(/\/transitions$/), admin.agree(moves.recalculate.do)]);
  const claim = await moved.json();
  expect([claim.status, claim.to.amount]).toEqual(['paid', preview.receive]);
  await admin.expectState('paid');
  await visitor.expectState('paid');
  await visitor.page.context().close();
});

test('a partial payout is recorded, and the rest is paid out', async ({ browser, app, page }) => {
  const admin = await openAdmin(page);
  const { moves, rest, claim, claims, ask } = admin.texts;
  const { visitor, id, number } = await reported(browser, app);
  await openClaim(admin, number);
  await admin.step('payment_received').click();
  await admin.fill(ask.txId, `in-${id}`);
  await admin.agree(moves.payment_received.do);
  await admin.expectState('paid');
  await admin.pressMain();
  await admin.expectState('processing');
  await admin.pressMain();
  await admin.fill(ask.txId, `first-${id}`);
  await admin.agree(moves.payout_sent.do);
  await admin.expectState('payout_sent');

  await admin.choose(moves.payout_partial.label);
  await admin.dialog.getByRole('textbox').first().fill('40 000');
  await admin.agree(moves.payout_partial.do);
  await admin.expectState('payout_partial');
  const fact = (name: string) => admin.panel.locator('dl > div').filter({ has: page.locator('dt', { hasText: name }) });
  await expect(fact(claim.paidOut)).toContainText(/40[\s,]000/);
  await expect(fact(claim.left)).toContainText(/(49|50)[\s,]\d{3}/);
  await expect(admin.row(number)).toContainText(start(claims.part));

  // Only the rest is paid out.
  await admin.pressMain();
  await expect(admin.dialog.getByRole('heading')).toContainText(start(rest.payout_sent.title));
  await expect(admin.dialog.getByRole('heading')).toContainText(/(49|50)[\s,]\d{3}/);
  await expectFit(page);
  await admin.fill(ask.txId, `rest-${id}`);
  await admin.agree(rest.payout_sent.do);
  await admin.expectState('payout_sent');
  await visitor.page.context().close();
});

test('a payment after the deadline is late, although it was reported before', async ({
  browser,
  app,
  page,
  request,
}) => {
  const admin = await openAdmin(page);
  const { moves, deadline, ask } = admin.texts;
  const [inTime, late] = [await reported(browser, app), await reported(browser, app)];

  // The rate falls, and then the deadline passes.
  const owner = await StaffApi.signIn(request);
  const pair = await owner.pair('BTC', 'SBERRUB');
  const revision = await owner.updatePair(pair, { spreadPercent: '9' });
  app.putAhead(PAST_THE_DEADLINE);

  // One payment arrived in time according to the bank: the agreed rate holds.
  await page.goto(`/admin/claims/${inTime.id}`);
  await expect(admin.panel).toContainText(start(deadline.passed));
  await expect(admin.panel).toContainText(start(deadline.moved.over));
  await expectFit(page);
  await admin.step('payment_received').click();
  await expect(admin.dialog).toContainText(start(deadline.passed));
  const now = await page.evaluate(() => {
    const local = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 16);
  });
  await admin.fill(ask.paidAt, now);
  await admin.fill(ask.txId, `in-${inTime.id}`);
  await expectFit(page);
  await admin.agree(moves.payment_received.do);
  await admin.expectState('paid');

  // The other arrived after the deadline.
  await page.goto(`/admin/claims/${late.id}`);
  await admin.step('payment_received').click();
  await admin.fill(ask.txId, `in-${late.id}`);
  await admin.agree(moves.payment_received.do);
  await admin.expectState('late_payment');
  await expect(page.getByText(deadline.becameLate)).toBeVisible();

  // The owner's session has expired by then.
  const again = await StaffApi.signIn(request);
  await again.updatePair({ ...pair, revision }, { spreadPercent: pair.spreadPercent });
  for (const { visitor } of [inTime, late]) await visitor.page.context().close();
});

test('a refund needs a destination and two people', async ({ browser, app, page, request }) => {
  const owner = await StaffApi.signIn(request);
  await owner.call('PUT', '/settings', { 'approvals.two_person': 'true', 'approvals.refund_limit': '0' });
  const admin = await openAdmin(page);
  const { moves, returned, reasons, ask, consent, approvals } = admin.texts;
  const { visitor, id, number } = await reported(browser, app);
  await openClaim(admin, number);
  await admin.step('payment_received').click();
  await admin.fill(ask.txId, `in-${id}`);
  await admin.agree(moves.payment_received.do);
  await admin.expectState('paid');
  await admin.choose(moves.refund.label);
  await admin.dialog.getByRole('combobox').click();
  await page.getByRole('option', { name: reasons.customer_asked }).click();
  await admin.agree(moves.refund.do);

  // Without a destination nothing can be refunded, and the customer is asked.
  await expect(admin.panel).toContainText(returned.waiting);
  await expect(admin.panel).toContainText(returned.missing);
  await expect(admin.step('refund_sent')).toBeHidden();
  await expectFit(page);
  await admin.panel.getByRole('button', { name: returned.enter }).click();
  await admin.dialog.getByRole('textbox').first().fill('no address at all');
  await admin.dialog.getByRole('textbox').last().fill('They told me in the chat.');
  await admin.agree(admin.texts.action.save);
  await expect(admin.dialog.getByRole('textbox').first()).toHaveAttribute('aria-invalid', 'true');
  await expectFit(page);
  await admin.dialog.getByRole('textbox').first().fill(ADDRESS);
  await admin.agree(admin.texts.action.save);
  await admin.expectState('refund_pending');
  await expect(admin.panel).not.toContainText(returned.missing);

  // A second person sees the amount and the destination before they approve.
  await admin.choose(approvals.refund_sent.label);
  await expect(admin.dialog).toContainText(returned.fee);
  await expectFit(page);
  await admin.agree(approvals.refund_sent.do);
  await expect(admin.panel).toContainText(consent.waiting.split('%{name}')[1]?.split('%{at}')[0]?.trim() as string);
  const context = await browser.newContext({ baseURL: app.root, locale: localeOfEngine() });
  const second = new Console(await context.newPage(), localeOfEngine(), OWNER);
  await second.enter();
  await second.openApprovals();
  const approval = second.page.getByRole('article').filter({ hasText: number });
  await expect(approval).toContainText(ADDRESS);
  await expect(approval).toContainText(/0[.,]01\d* BTC/);
  await expectFit(second.page);
  await approval.getByRole('button', { name: approvals.approve }).click();
  await expect(second.dialog).toContainText(ADDRESS);
  await second.agree(approvals.approve);
  // What is behind a dialog is hidden as well: the decision is made once the dialog is closed.
  await expect(second.dialog).toBeHidden();
  await expect(approval).toBeHidden();
  await context.close();

  // The open claim is updated by itself after the decision.
  await expect(admin.panel).not.toContainText(consent.waiting.split('%{name}')[1]?.split('%{at}')[0]?.trim() as string);
  await admin.choose(moves.refund_sent.label);
  await admin.fill(ask.txId, `back-${id}`);
  await admin.agree(moves.refund_sent.do);
  await admin.expectState('refund_sent');
  await visitor.page.context().close();
});
