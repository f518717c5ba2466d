import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { locales } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';

const PHONE = { width: 360, height: 740 };

for (const { locale } of locales) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test(`the console fits a phone`, async ({ page }) => {
      const admin = new Console(page, locale);
      await page.setViewportSize(PHONE);
      const errors = consoleErrors(page);
      const expectFit = async () => {
        await expectNoOverflow(page);
        await expectAccessible(page);
      };

      await admin.open();
      await expectFit();
      await admin.signIn();
      await expectFit();
      await admin.openQueue();
      await expectFit();
      // A claim of the demonstration.
      await page.getByRole('row').getByRole('link').first().click();
      await expect(admin.panel).toContainText(admin.texts.claim.timeline);
      await expectFit();
      expect(errors).toEqual([]);
    });
  });
}
