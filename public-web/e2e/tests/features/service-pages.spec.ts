import { expect, test } from '@playwright/test';
import { locales } from '../support/dictionary.ts';
import { expectAccessible } from '../support/page.ts';
import { StaffApi } from '../support/staff-api.ts';

for (const { locale, root } of locales) {
  test(`an unknown address answers 404, ${locale}`, async ({ page }) => {
    const answer = await page.goto(`${root}/nowhere`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByText('404 | page not found')).toBeVisible();
    await expectAccessible(page);
  });

  test(`technical mode redirects visitors to its page and back, ${locale}`, async ({ page, request }) => {
    const owner = await StaffApi.signIn(request);
    const switchTo = (on: boolean) => owner.call('PUT', '/tech', { on, time: null });
    await page.clock.install();
    await page.goto(`${root}/`);
    await switchTo(true);
    await page.clock.runFor(10_000);
    await page.waitForURL(`**${root}/tech`);
    await switchTo(false);
    await page.clock.runFor(10_000);
    await page.waitForURL((url) => !url.pathname.endsWith('/tech'));
  });
}
