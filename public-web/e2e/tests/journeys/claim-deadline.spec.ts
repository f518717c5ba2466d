import { type Browser, expect, type Page } from '@playwright/test';
import { dictionary, localeOfEngine } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';
import { Visitor } from '../support/visitor.ts';

/** How long it may take until a periodic job runs. */
const JOBS_MS = 75_000;

test.use({ scenario: 'claim deadline' });

/** The part of a text before its first placeholder. */
const beginning = (text: string | undefined) => (text ?? '').split('{{')[0] as string;

/** A visitor in a browser of their own, who has reported a payment; and their claim. */
async function reported(browser: Browser, root: string, width: number): Promise<{ visitor: Visitor; id: string }> {
  const context = await browser.newContext({
    baseURL: root,
    viewport: { width, height: 800 },
    locale: localeOfEngine(),
  });
  const visitor = new Visitor(await context.newPage(), localeOfEngine());
  const id = await visitor.pay();
  return { visitor, id };
}

/** Bitcoin loses nearly a half. */
async function dropRate(owner: StaffApi): Promise<void> {
  await owner.updatePair(await owner.pair('BTC', 'SBERRUB'), { spreadPercent: '45' });
}

test.describe.configure({ mode: 'serial' });

/** Minutes until the customer is asked about a missing payment, until the claim expires, and until the agreed rate of the next claim ends. */
const MISSING = 112;
const EXPIRED = 125;
const RATE_ENDED = EXPIRED + 35;

test('the customer is asked about a reported payment that does not arrive', async ({ browser, app }) => {
  test.setTimeout(3 * JOBS_MS);
  const texts = dictionary(localeOfEngine(), 'claim');
  const { visitor } = await reported(browser, app.root, 1280);
  const page: Page = visitor.page;
  const missing = page.getByRole('heading', { name: texts['missing.title'] as string });
  await expect(missing).toBeHidden();
  app.putAhead(MISSING);
  await expect(missing).toBeVisible({ timeout: JOBS_MS });
  await expectAccessible(page);
  app.putAhead(EXPIRED);
  await expect(page.getByRole('heading', { level: 1, name: texts['state.expired.heading'] as string })).toBeVisible({
    timeout: JOBS_MS,
  });
});

test('the agreed rate ends at its deadline, although the payment was reported', async ({ browser, app, request }) => {
  const texts = dictionary(localeOfEngine(), 'claim');
  const { visitor, id } = await reported(browser, app.root, 360);
  const { page } = visitor;
  const stub = page.getByRole('complementary', { name: texts['stub.label'] as string });
  await expect(page.getByText(beginning(texts['agreed.until']))).toBeVisible();
  await expect(page.getByText(beginning(texts['agreed.claimEnds']))).toBeVisible();
  await expect(stub).toContainText(texts['stub.rateFixed'] as string);

  app.putAhead(RATE_ENDED);
  await dropRate(await StaffApi.signIn(request));
  await page.reload();
  await expect(page.getByText(beginning(texts['agreed.over']))).toBeVisible();
  await expect(stub).not.toContainText(texts['stub.rateFixed'] as string);
  await expectAccessible(page);
  await expectNoOverflow(page);

  const operator = await StaffApi.signIn(request, OPERATOR);
  await operator.act(id, 'payment_received', { txId: `in-${id}` });
  await visitor.expectState('late_payment');
  const offer = page.getByRole('main').getByText(beginning(texts['choice.accept.less']));
  await expect(offer.first()).toBeVisible();
  await page.getByRole('button', { name: beginning(texts['choice.accept.action']).trim() }).click();
  await visitor.expectState('paid');
});
