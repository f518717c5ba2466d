import { type Browser, expect, type Page } from '@playwright/test';
import { test } from './house.ts';
import { Operator } from './operator.ts';
import { Owner } from './owner.ts';
import { expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import { type Locale, words } from './words.ts';

/** Each engine in a language of its own. */
const LOCALES: Record<string, Locale> = { sqlite: 'ru', postgres: 'en' };

/** How long it may take until what has come due is done. */
const JOBS_MS = 75_000;

test.use({ stories: 'agreed rate' });

const locale = (): Locale => LOCALES[test.info().project.name] ?? 'ru';

/** The part of a text before what is filled in. */
const beginning = (text: string | undefined) => (text ?? '').split('{{')[0] as string;

/** A visitor with a screen of their own, who has reported a payment; and their claim. */
async function reported(browser: Browser, root: string, width: number): Promise<{ visitor: Visitor; id: string }> {
  const context = await browser.newContext({ baseURL: root, viewport: { width, height: 800 }, locale: locale() });
  const visitor = new Visitor(await context.newPage(), locale());
  await visitor.fillIn();
  await visitor.leave();
  const id = await visitor.confirm();
  await visitor.sayPaid();
  return { visitor, id };
}

/** Bitcoin falls by nearly a half. */
async function dropRate(owner: Owner): Promise<void> {
  const directions = await owner.calls('GET', '/currencies');
  const idOf = (code: string) => directions.find((one: { code: string }) => one.code === code)?.id;
  const pairs = await owner.calls('GET', '/pairs');
  const [from, to] = ['BTC', 'SBERRUB'].map(idOf);
  const pair = pairs.find((one: { fromId: number; toId: number }) => one.fromId === from && one.toId === to);
  await owner.calls('PATCH', `/pairs/${pair.id}`, { revision: pair.revision, spreadPercent: '45' });
}

test.describe.configure({ mode: 'serial' });

/** Minutes: when nobody has seen a reported payment for long, when its claim has ended, and, after that, when the agreed rate of a new one has. */
const NOTICE = 112;
const END = 125;
const LATE = END + 35;

test('a reported payment that nobody sees is asked about before the claim ends', async ({ browser, house }) => {
  test.setTimeout(3 * JOBS_MS);
  const texts = words(locale(), 'claim');
  const { visitor } = await reported(browser, house.root, 1280);
  const page: Page = visitor.page;
  const missing = page.getByRole('heading', { name: texts['missing.title'] as string });
  await expect(missing).toBeHidden();
  house.putAhead(NOTICE);
  await expect(missing).toBeVisible({ timeout: JOBS_MS });
  await expectAccessible(page);
  house.putAhead(END);
  await expect(page.getByRole('heading', { level: 1, name: texts['state.expired.heading'] as string })).toBeVisible({
    timeout: JOBS_MS,
  });
});

test('the agreed rate ends at its deadline, whatever was pressed', async ({ browser, house, request }) => {
  const texts = words(locale(), 'claim');
  const { visitor, id } = await reported(browser, house.root, 360);
  const { page } = visitor;
  const stub = page.getByRole('complementary', { name: texts['stub.label'] as string });
  await expect(page.getByText(beginning(texts['agreed.until']))).toBeVisible();
  await expect(page.getByText(beginning(texts['agreed.claimEnds']))).toBeVisible();
  await expect(stub).toContainText(texts['stub.rateFixed'] as string);

  house.putAhead(LATE);
  await dropRate(await Owner.signIn(request));
  await page.reload();
  await expect(page.getByText(beginning(texts['agreed.over']))).toBeVisible();
  await expect(stub).not.toContainText(texts['stub.rateFixed'] as string);
  await expectAccessible(page);
  await expectNoOverflow(page);

  const operator = await Operator.signIn(request);
  await operator.act(id, 'payment_received', { txId: `in-${id}` });
  await visitor.expectState('late_payment');
  await expect(page.getByText(beginning(texts['choice.accept.less'])).first()).toBeVisible();
  await page.getByRole('button', { name: beginning(texts['choice.accept.action']).trim() }).click();
  await visitor.expectState('paid');
});
