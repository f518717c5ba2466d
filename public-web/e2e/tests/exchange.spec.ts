import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { Operator } from './operator.ts';
import { type Locale, locales, screens, words } from './words.ts';

/** A one-pixel PNG: the smallest receipt there is. */
const RECEIPT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(' ')}`)).toEqual([]);
}

async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** Collects what a page complains of, to be empty at the end of a journey. */
function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(message.text());
  });
  return found;
}

/** Fills in the note for BTC to SBERRUB by the receive side and leaves the claim. */
async function leaveClaim(page: Page, root: string, locale: Locale): Promise<void> {
  const home = words(locale, 'home');
  await page.goto(`${root}/?cur_from=BTC&cur_to=SBERRUB`);
  const side = (word: string) => page.getByRole('textbox', { name: new RegExp(`^${home[word]}`) });
  const receive = side('receive');
  await expect(receive).not.toHaveValue('');
  await receive.fill('90000');
  await receive.blur();
  // The send side follows through the rate: 90 000 roubles are somewhat over a hundredth of a bitcoin.
  await expect(side('send')).toHaveValue(/^0[.,]014\d*$/);
  const payout = page.getByRole('region', { name: new RegExp(`^${home.stub_payout_blank}`) }).getByRole('textbox');
  await payout.nth(0).fill('2200 0000 0000 0004');
  await payout.nth(1).fill('IVAN IVANOV');
  await page.getByRole('textbox', { name: home.email }).fill(`customer-${Date.now()}@example.com`);
  for (const consent of await page.getByRole('checkbox').all()) await consent.check({ force: true });
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole('button', { name: new RegExp(`^${home.exchange} `) }).click();
  await page.waitForURL(`**${root}/claim`);
}

for (const { locale, root } of locales) {
  for (const { name, width, height } of screens) {
    test(`a guest exchanges bitcoin for roubles, ${locale}, ${name}`, async ({ page, request }) => {
      await page.setViewportSize({ width, height });
      const found = complaints(page);
      const claim = words(locale, 'claim');

      await leaveClaim(page, root, locale);
      await expectAccessible(page);
      await expectNoOverflow(page);
      const [created] = await Promise.all([
        page.waitForResponse((response) => response.url().includes('/confirm/')),
        page.getByRole('button', { name: claim['review.confirm'] }).click(),
      ]);
      const id = new URL(created.url()).pathname.split('/').at(-3) as string;

      await expect(page.getByText('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2')).toBeVisible();
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: RECEIPT });
      await expect(page.getByText('receipt.png')).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.getByRole('button', { name: claim['pay.paid'] }).click();
      await expect(page.getByRole('heading', { name: claim['state.payment_claimed.heading'] })).toBeVisible();

      // From here on nobody touches the customer's page: it follows by itself.
      const operator = await Operator.signIn(request);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await expect(page.getByRole('heading', { name: claim['state.paid.heading'] })).toBeVisible();
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await expect(page.getByRole('heading', { name: claim['state.payout_sent.heading'] })).toBeVisible();
      await operator.act(id, 'complete');
      await page.waitForURL(`**${root}/claim/success?id=${id}`);
      await expectAccessible(page);
      expect((await operator.claim(id)).status).toBe('completed');
      expect(found).toEqual([]);
    });
  }

  test(`a page that is not there says so, ${locale}`, async ({ page }) => {
    const answer = await page.goto(`${root}/nowhere`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByText('404 | page not found')).toBeVisible();
    await expectAccessible(page);
  });

  test(`technical mode sends visitors to its page and back, ${locale}`, async ({ page, request }) => {
    const login = await request.post('/api/admin/v1/auth/login', {
      data: { email: 'owner@agio.example', password: 'agio-demo-owner' },
    });
    const headers = { authorization: `Bearer ${(await login.json()).accessToken}` };
    const switchTo = (on: boolean) => request.put('/api/admin/v1/tech', { data: { on, time: null }, headers });
    await page.clock.install();
    await page.goto(`${root}/`);
    expect((await switchTo(true)).ok()).toBe(true);
    await page.clock.runFor(10_000);
    await page.waitForURL(`**${root}/tech`);
    expect((await switchTo(false)).ok()).toBe(true);
    await page.clock.runFor(10_000);
    await page.waitForURL((url) => !url.pathname.endsWith('/tech'));
  });
}
