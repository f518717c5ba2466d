import { expect, test } from '@playwright/test';
import { Mailbox } from './mailbox.ts';
import { Member } from './member.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { locales, screens } from './words.ts';

/** Pages that anybody may open and search engines may list. */
const OPEN = ['', '/aml', '/faq', '/rules', '/contacts', '/partners', '/discounts', '/contest'];

/** Pages of a claim and a verification nobody has: they are shown, and say so. */
const SOMEBODYS = ['/claim/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10', '/verify/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10'];

/** Pages of a claim in progress and of how one ended: without one there is nothing to show. */
const WITH_A_CLAIM = ['/claim', '/claim/success', '/claim/fail'];

/** What is a customer's own. */
const OWN = ['/account', '/account/orders', '/account/referrer', '/account/settings'];

for (const [index, { locale }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  test.describe(`every page, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('opens for whom it is, and leads others where they can go on', async ({ page, request }) => {
      const mailbox = await Mailbox.open(request);
      const member = new Member(page, locale);
      await member.makeAccount(mailbox);

      const found = complaints(page);
      for (const path of OPEN) {
        await member.go(path);
        await expect(page.locator('main h1, main h2').first()).toBeVisible();
        await expectAccessible(page);
        await expectNoOverflow(page);
        expect(await page.locator('link[rel="canonical"]').getAttribute('href')).toMatch(/^https?:\/\//);
        expect(await page.locator('link[rel="alternate"][hreflang]').count()).toBeGreaterThanOrEqual(2);
      }
      expect(found).toEqual([]);

      for (const path of SOMEBODYS) {
        await member.go(path);
        await expect(page.locator('main')).toBeVisible();
        await expectNoOverflow(page);
        await member.expectAt(path);
      }
      // There is no claim in progress in this browser, and nobody is signed in.
      for (const path of [...WITH_A_CLAIM, ...OWN]) {
        await member.go(path);
        await member.expectAt('');
      }
      await member.go('/recover');
      await member.expectAt('/recover');

      await member.go('');
      await member.openSignIn();
      await member.signIn();
      await expect(member.menu).toBeVisible();
      for (const path of OWN) {
        await member.go(path);
        await expect(page.getByRole('navigation').first()).toBeVisible();
        await member.expectAt(path);
        await expectAccessible(page);
        await expectNoOverflow(page);
      }
      await member.go('/recover');
      await member.expectAt('/account');
    });
  });
}
