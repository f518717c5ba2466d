import { expect, test } from '@playwright/test';
import { Customer } from '../support/customer.ts';
import { locales, screens } from '../support/dictionary.ts';
import { Mailbox } from '../support/mailbox.ts';
import { consoleErrors, expectAccessible, expectNoCutText, expectNoOverflow } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

/** Pages that anybody may open and search engines may list. */
const OPEN = [
  '',
  '/rates',
  '/reviews',
  '/news',
  '/exchange/btc-to-sberrub/',
  '/aml',
  '/faq',
  '/rules',
  '/contacts',
  '/partners',
  '/discounts',
  '/contest',
];

/** Pages of an unknown claim and verification: they are shown with a message. */
const UNKNOWN_IDS = ['/claim/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10', '/verify/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10'];

/** Pages of the end of a claim and of technical mode: without either they say what there is to know. */
const RESULTS = ['/claim/success', '/claim/fail', '/tech'];

/** The page of a claim in progress: without a claim there is nothing to show. */
const WITH_A_CLAIM = ['/claim'];

/** Pages of signed-in customers. */
const OWN = ['/account', '/account/orders', '/account/referrer', '/account/settings'];

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  test.describe(`every page, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('opens for its audience and redirects everybody else', async ({ page, request }) => {
      const mailbox = await Mailbox.open(request);
      const customer = new Customer(page, locale);
      await customer.createAccount(mailbox);

      const errors = consoleErrors(page);
      for (const path of OPEN) {
        await customer.go(path);
        await expect(page.locator('main h1, main h2').first()).toBeVisible();
        await expectAccessible(page);
        await expectNoOverflow(page);
        expect(await page.locator('link[rel="canonical"]').getAttribute('href')).toMatch(/^https?:\/\//);
        expect(await page.locator('link[rel="alternate"][hreflang]').count()).toBeGreaterThanOrEqual(2);
      }
      expect(errors).toEqual([]);

      for (const path of RESULTS) {
        await customer.go(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expectAccessible(page);
        await expectNoOverflow(page);
        await customer.expectAt(path);
      }

      for (const path of UNKNOWN_IDS) {
        await customer.go(path);
        await expect(page.locator('main')).toBeVisible();
        await expectNoOverflow(page);
        await customer.expectAt(path);
      }
      // No claim is in progress in this browser, and nobody is signed in.
      for (const path of [...WITH_A_CLAIM, ...OWN]) {
        await customer.go(path);
        await customer.expectAt('');
      }
      await customer.go('/recover');
      await customer.expectAt('/recover');

      await customer.go('');
      await customer.openSignIn();
      await customer.signIn();
      await expect(customer.menu).toBeVisible();
      for (const path of OWN) {
        await customer.go(path);
        await expect(page.getByRole('navigation').first()).toBeVisible();
        await customer.expectAt(path);
        await expectAccessible(page);
        await expectNoOverflow(page);
      }
      await customer.go('/recover');
      await customer.expectAt('/account');
    });

    test('holds text of twice the size', async ({ page }) => {
      // What a visitor chooses in the browser.
      const session = await page.context().newCDPSession(page);
      await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
      const expectItFits = async (widths: number[]) => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: screen.height });
          await expectNoOverflow(page);
          await expectNoCutText(page);
        }
      };
      for (const path of OPEN) {
        await page.goto(`${root}${path}`);
        await expectItFits([1280, 768, 360, 320]);
      }
      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      await expectItFits([768, 320]);
      await visitor.submit();
      await expectItFits([768, 320]);
      await visitor.confirm();
      await expectItFits([1280, 768, 320]);
    });
  });
}
