import { expect, test } from '@playwright/test';
import { Customer } from '../support/customer.ts';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { Mailbox } from '../support/mailbox.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';

for (const [index, { locale }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  test.describe(`partner access, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('is requested, and gives a sandbox key whose secret is shown once', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const t = dictionary(locale, 'partner');
      const text = (key: string) => t[key] as string;
      const customer = new Customer(page, locale);
      await customer.createAccount(await Mailbox.open(request));
      await customer.go('/account/partner');
      await customer.signIn();
      await customer.expectAt('/account/partner');

      await page.getByRole('textbox', { name: text('name') }).fill('Wallet');
      await page.getByRole('textbox', { name: text('site') }).fill('wallet');
      await page.getByRole('button', { name: text('request'), exact: true }).click();
      await expect(page.getByRole('textbox', { name: text('site') })).toHaveAttribute('aria-invalid', 'true');
      await expectAccessible(page);
      await page.getByRole('textbox', { name: text('site') }).fill('https://wallet.example');
      await page.getByRole('button', { name: text('request'), exact: true }).click();
      await expect(page.getByRole('heading', { name: text('status.requested') })).toBeVisible();

      await page.getByRole('button', { name: text('new_key'), exact: true }).click();
      await expect(page.getByRole('radio', { name: text('kind.live_later') })).toBeDisabled();
      await page.getByRole('textbox', { name: text('key_title') }).fill('Test server');
      await expectAccessible(page);
      await page.getByRole('button', { name: text('make_key'), exact: true }).click();
      await expect(page.getByRole('heading', { name: text('secret_once') })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.getByRole('button', { name: text('saved'), exact: true }).click();
      await expect(page.getByText(text('secret_once'))).toBeHidden();
      await expect(page.getByText('Test server')).toBeVisible();
      // The expected refusal.
      expect(errors.filter((message) => !message.includes('422'))).toEqual([]);
    });
  });
}
