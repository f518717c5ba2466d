import { expect, test } from '@playwright/test';
import { Mailbox } from './mailbox.ts';
import { Member } from './member.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { locales, screens, words } from './words.ts';

for (const [index, { locale }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  test.describe(`partner access, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('is asked for, and gives a sandbox key whose secret is shown once', async ({ page, request }) => {
      const found = complaints(page);
      const t = words(locale, 'partner');
      const said = (key: string) => t[key] as string;
      const member = new Member(page, locale);
      await member.makeAccount(await Mailbox.open(request));
      await member.go('/account/partner');
      await member.signIn();
      await member.expectAt('/account/partner');

      await page.getByRole('textbox', { name: said('name') }).fill('Wallet');
      await page.getByRole('textbox', { name: said('site') }).fill('wallet');
      await page.getByRole('button', { name: said('ask'), exact: true }).click();
      await expect(page.getByRole('textbox', { name: said('site') })).toHaveAttribute('aria-invalid', 'true');
      await expectAccessible(page);
      await page.getByRole('textbox', { name: said('site') }).fill('https://wallet.example');
      await page.getByRole('button', { name: said('ask'), exact: true }).click();
      await expect(page.getByRole('heading', { name: said('standing.requested') })).toBeVisible();

      await page.getByRole('button', { name: said('new_key'), exact: true }).click();
      await expect(page.getByRole('radio', { name: said('kind.live_later') })).toBeDisabled();
      await page.getByRole('textbox', { name: said('key_title') }).fill('Test server');
      await expectAccessible(page);
      await page.getByRole('button', { name: said('make_key'), exact: true }).click();
      await expect(page.getByRole('heading', { name: said('secret_once') })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.getByRole('button', { name: said('kept'), exact: true }).click();
      await expect(page.getByText(said('secret_once'))).toBeHidden();
      await expect(page.getByText('Test server')).toBeVisible();
      // The one refusal that was asked for.
      expect(found.filter((text) => !text.includes('422'))).toEqual([]);
    });
  });
}
