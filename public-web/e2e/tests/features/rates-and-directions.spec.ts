import { expect, test } from '@playwright/test';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';

const DIRECTION = '/exchange/btc-to-sberrub/';
/** The rate of the demonstration's day, however a language groups digits. */
const RATE = /1\sBTC = 6[\s,]299[\s,]908/;

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  const texts = dictionary(locale, 'rates');
  const home = dictionary(locale, 'home');
  const common = dictionary(locale, 'common');

  test.describe(`without scripts, ${locale}`, () => {
    test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });

    test('home, the rates and a direction show rates, and nothing that needs a script', async ({ page }) => {
      for (const path of ['/', '/rates', DIRECTION]) {
        await page.goto(`${root}${path}`);
        await expect(page.getByText(RATE).first()).toBeVisible();
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.getByRole('textbox')).toHaveCount(0);
        await expect(page.locator('.skeleton:visible')).toHaveCount(0);
        expect(await page.content()).not.toContain('AGIO_SLOT');
      }
      const reverse = page.locator('a[href$="/exchange/sberrub-to-btc/"]');
      await reverse.click();
      await expect(page).toHaveURL(/\/exchange\/sberrub-to-btc\/$/);
    });
  });

  test(`the rates of the home page stay where the server put them when their coins come, ${locale}`, async ({
    page,
  }) => {
    const row = page.locator('tbody tr').nth(4);
    const place = async () => [(await row.boundingBox())?.height, (await row.locator('b').boundingBox())?.x];
    for (const width of [320, 360, 400, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.route('**/*.js', (route) => route.abort());
      await page.goto(`${root}/`);
      await expect(row.locator('.served-pair')).toBeVisible();
      const served = await place();
      await page.unroute('**/*.js');
      await page.goto(`${root}/`);
      await expect(row.locator('.served-pair')).toHaveCount(0);
      expect(await place(), `${width}`).toEqual(served);
    }
  });

  test.describe(`rates and directions, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('the rates are filtered as one types', async ({ page }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}/rates`);
      const rows = page.locator('tbody tr:visible');
      const all = await rows.count();
      const filter = page.getByRole('searchbox', { name: texts.filter as string });
      await filter.fill('btc sber');
      await expect(rows).toHaveCount(2);
      await filter.fill('xyz');
      await expect(page.getByRole('status').filter({ hasText: texts.empty as string })).toBeVisible();
      await filter.fill('');
      await expect(rows).toHaveCount(all);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.locator('tr[data-codes="BTC SBERRUB"] a').click();
      await expect(page).toHaveURL(new RegExp(`${DIRECTION}$`));
      expect(errors).toEqual([]);
    });

    test('the calculator of a direction starts with its pair, and its terms give way to another pair', async ({
      page,
    }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}${DIRECTION}`);
      const served = await page.title();
      await expect(page.getByRole('textbox', { name: new RegExp(`^${home.give}`) })).not.toHaveValue('');
      await expect(page.getByText(RATE).first()).toBeVisible();
      expect(await page.title()).toBe(served);
      expect(await page.locator('link[rel="canonical"]').count()).toBe(1);
      expect(await page.locator('link[rel="canonical"]').getAttribute('href')).toMatch(new RegExp(`${DIRECTION}$`));
      await page.locator('details').first().locator('summary').click();
      await expectAccessible(page);
      await expectNoOverflow(page);

      const terms = page.locator('[data-block="details"]');
      await expect(terms).toBeVisible();
      await page.getByRole('button', { name: home.swap as string }).click();
      await expect(terms).toBeHidden();
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      expect(errors).toEqual([]);
    });

    test('there is no page of a direction that does not exist', async ({ page }) => {
      const errors = consoleErrors(page);
      const answer = await page.goto(`${root}/exchange/nothing-to-nothing/`);
      expect(answer?.status()).toBe(404);
      await expect(page.getByRole('heading', { level: 1, name: common.error_404 as string })).toBeVisible();
      // The page that was sent, and what becomes of it.
      await page.waitForLoadState('networkidle');
      await expect(page.getByRole('heading', { level: 1, name: common.error_404 as string })).toBeVisible();
      await expect(page.getByRole('button', { name: common.try_again as string })).toHaveCount(0);
      // The browser's own remark about the answer.
      expect(errors.filter((error) => !error.includes('status of 404'))).toEqual([]);
    });

    test('a page of the market is there again on the way back', async ({ page }) => {
      await page.goto(`${root}${DIRECTION}`);
      await expect(page.getByText(RATE).first()).toBeVisible();
      await page.locator('footer a[href$="/rates"]').click();
      await expect(page.locator('tr[data-codes="BTC SBERRUB"]')).toBeVisible();
      await page.goBack();
      await expect(page.locator('[data-block="lead"]').getByText(RATE)).toBeVisible();
    });
  });
}
