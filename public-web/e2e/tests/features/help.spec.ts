import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { locales } from '../support/dictionary.ts';
import { consoleErrors } from '../support/page.ts';

const EXPECTED = {
  ru: { heading: 'Список заявок', search: 'Поиск', word: 'неизвестно, ушло ли', found: 'Платежи через плагины' },
  en: { heading: 'The list of claims', search: 'Search', word: 'outcome unknown', found: 'Payments through plugins' },
};

for (const { locale } of locales) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test('help opens at the present screen and can be searched', async ({ page }) => {
      const { heading, search, word, found } = EXPECTED[locale];
      const admin = new Console(page, locale);
      await admin.open();
      await admin.signIn();
      await admin.openQueue();
      const opened = page.waitForEvent('popup');
      await page.getByRole('link', { name: admin.texts.layout.help }).click();
      const help = await opened;
      const errors = consoleErrors(help);
      await expect(help.getByRole('heading', { name: heading, level: 1 })).toBeVisible();

      await help.getByRole('button', { name: search }).click();
      await help.getByRole('searchbox').fill(word);
      await help.getByRole('option', { name: found }).first().click();
      await expect(help.getByRole('heading', { name: found, level: 1 })).toBeVisible();
      expect(errors).toEqual([]);
    });
  });
}
