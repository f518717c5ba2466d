import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, OWNER } from '../support/staff-api.ts';

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  // Both languages write to one server.
  const name = `News ${locale} ${Date.now()}`;

  test.describe(`news, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('an editor writes and publishes, everybody reads, and it is withdrawn', async ({ page, browser }) => {
      const errors = consoleErrors(page);
      const editorsPage = await browser.newPage();
      const editor = new Console(editorsPage, locale, OWNER);
      const { news, content, action } = editor.texts;
      await editor.confirmAlways();
      await editor.open();
      await editor.signIn();
      await editorsPage.goto('/admin/news');
      await editor.press(news.add);
      await editor.fill(news.headingRu, name);
      await editor.fill(news.headingEn, name);
      await expectAccessible(editorsPage);
      await editor.press(news.create);
      await expect(editorsPage.getByRole('heading', { name, level: 1 })).toBeVisible();
      await editorsPage
        .getByRole('textbox', { name: content.text })
        .fill('It is **here**.\n\n<script>alert(1)</script>');
      await expect(editorsPage.getByRole('region', { name: content.preview })).toContainText('It is here.');
      await expectAccessible(editorsPage);
      await editor.press(action.publish);
      await expect(editorsPage.getByText(news.saved.published)).toBeVisible();

      await page.goto(`${root}/`);
      await page.locator('footer').locator(`a[href="${root}/news"]`).click();
      await page.getByRole('link', { name }).click();
      await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
      await expect(page.getByRole('article')).toContainText('It is here.');
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(errors).toEqual([]);
      const address = page.url();

      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.goto(address);
      await expect(plain.getByRole('heading', { name, level: 1 })).toBeVisible();
      await plain.close();

      const reader = await browser.newPage();
      const operator = new Console(reader, locale, OPERATOR);
      await operator.open();
      await operator.signIn();
      await reader.goto('/admin/news');
      await expect(reader.getByRole('link', { name })).toBeVisible();
      await expect(reader.getByRole('button', { name: news.add })).toHaveCount(0);
      await reader.close();

      await editor.press(news.withdraw);
      await expect(editorsPage.getByText(news.saved.draft)).toBeVisible();
      await editorsPage.close();
      expect((await page.goto(address))?.status()).toBe(404);
    });
  });
}
