import { expect, test } from '@playwright/test';
import { Operator } from './operator.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import { locales, screens } from './words.ts';

/** A one-pixel PNG: the smallest receipt there is. */
const RECEIPT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

for (const { locale, root } of locales) {
  for (const { name, width, height } of screens) {
    test(`a guest exchanges bitcoin for roubles, ${locale}, ${name}`, async ({ page, request }) => {
      await page.setViewportSize({ width, height });
      const found = complaints(page);

      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await visitor.leave();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const id = await visitor.confirm();

      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: RECEIPT });
      await expect(page.getByText('receipt.png')).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await visitor.sayPaid();

      const operator = await Operator.signIn(request);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await visitor.expectState('paid');
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await visitor.expectState('payout_sent');
      await operator.act(id, 'complete');
      await visitor.expectSuccess(id);
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
