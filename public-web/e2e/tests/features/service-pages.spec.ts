import { expect, test } from '@playwright/test';
import { dictionary, locales } from '../support/dictionary.ts';
import { expectAccessible, expectNoCutText, expectUnmoved } from '../support/page.ts';
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

  test(`a pause of new claims is said without moving the page, and can be put away, ${locale}, phone`, async ({
    page,
  }) => {
    await page.setViewportSize({ width: 320, height: 568 });
    await page.route('**/calculator/tech/', (route) =>
      route.fulfill({ json: { technicalMode: { on: false, time: null }, claimsPaused: true } }),
    );
    await page.goto(`${root}/faq`);
    const message = page.getByRole('status').filter({ hasText: dictionary(locale, 'tech').claims_paused as string });
    await expect(message).toBeInViewport({ ratio: 1 });
    await expectUnmoved(page);
    await expectNoCutText(page);
    await expectAccessible(page);
    await message.getByRole('button', { name: dictionary(locale, 'common').close as string }).click();
    await expect(message).toBeHidden();
  });
}
