import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { Mailbox } from '../support/mailbox.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  const text = dictionary(locale, 'waitlist') as Record<string, string>;

  test.describe(`waiting for a direction, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('a visitor asks, confirms and unsubscribes; the console counts', async ({ page, browser, request }) => {
      const errors = consoleErrors(page);
      const mailbox = await Mailbox.open(request);
      const email = `waits-${locale}-${Date.now()}@example.com`;
      await page.goto(`${root}/exchange/btc-to-sberrub/`);
      await page.getByRole('button', { name: dictionary(locale, 'home').waitlist }).click();
      await expect(page.getByRole('heading', { name: text.heading })).toBeFocused();
      await page.getByRole('textbox', { name: text.email, exact: true }).fill(email);
      const amount = page.getByRole('textbox', { name: /^(Хотите получить|Amount you want)/ });
      const rate = page.getByRole('textbox', { name: /^(За 1|For 1) BTC/ });
      await amount.fill('x');
      await page.getByRole('button', { name: text.send }).click();
      await expect(amount).toHaveAttribute('aria-invalid', 'true');
      await amount.fill('');
      await rate.fill('99 000 000,5');
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.getByRole('button', { name: text.send }).click();
      await expect(page.getByRole('heading', { name: text.sent })).toBeVisible();

      const link = await mailbox.link(email, 'waitlist_confirmation', /https?:\/\/\S+\/waitlist\/[0-9a-f-]{36}/);
      await page.goto(link);
      await expect(page.getByRole('heading', { name: text.state_pending })).toBeVisible();
      await expect(page.getByRole('main')).toContainText(/99.000.000[.,]5/);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.getByRole('button', { name: text.confirm }).click();
      await expect(page.getByRole('heading', { name: text.state_confirmed })).toBeVisible();

      const staffPage = await browser.newPage();
      const operator = new Console(staffPage, locale);
      await operator.open();
      await operator.signIn();
      await staffPage.goto('/admin/reserves?tab=waitlist');
      await expect(staffPage.getByRole('row').filter({ hasText: 'BTC → SBERRUB' })).toContainText('1');
      await expectAccessible(staffPage);
      await staffPage.close();

      await page.getByRole('button', { name: text.unsubscribe }).click();
      await expect(page.getByRole('heading', { name: text.left })).toBeVisible();
      expect(errors).toEqual([]);
      await page.reload();
      await expect(page.getByRole('heading', { name: text.gone })).toBeVisible();
    });
  });
}
