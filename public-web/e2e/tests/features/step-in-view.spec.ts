import { expect, type Page, test } from '@playwright/test';
import { dictionary, type Locale, locales } from '../support/dictionary.ts';
import { expectAtTop, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

const WIDTHS = [
  { width: 320, height: 568, isMobile: true },
  { width: 360, height: 740, isMobile: true },
  { width: 768, height: 1024, isMobile: true },
  { width: 1280, height: 800, isMobile: false },
];

const heading = (page: Page, locale: Locale, state: string) =>
  page.getByRole('heading', { level: 1, name: dictionary(locale, 'claim')[`state.${state}.heading`] as string });

for (const [at, { width, height, isMobile }] of WIDTHS.entries()) {
  const { locale, root } = locales[at % locales.length] ?? locales[0];
  const claim = dictionary(locale, 'claim');
  const home = dictionary(locale, 'home');

  test.describe(`each step of a claim, ${locale}, ${width} px`, () => {
    test.use({ viewport: { width, height }, isMobile, hasTouch: isMobile });

    test('that the visitor takes begins at the top of the screen', async ({ page, request }) => {
      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      await visitor.submit();
      await expectAtTop(heading(page, locale, 'created'));
      const id = await visitor.confirm();
      await expectAtTop(heading(page, locale, 'awaiting_payment'));
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
      await visitor.reportPayment();
      await expectAtTop(heading(page, locale, 'payment_claimed'));
      await expectNoOverflow(page);

      // The visitor reads on; what staff do does not move the page.
      const before = await page.evaluate(() => {
        window.scrollBy({ top: 300, behavior: 'instant' });
        return window.scrollY;
      });
      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_seen', { txId: `in-${id}` });
      await expect(heading(page, locale, 'payment_seen')).toBeVisible();
      expect(Math.abs((await page.evaluate(() => window.scrollY)) - before)).toBeLessThanOrEqual(before);

      await operator.act(id, 'amount_mismatch', { amount: '0.0101' });
      await expect(heading(page, locale, 'amount_mismatch')).toBeVisible();
      const choice = page.getByRole('listitem').filter({ hasText: claim['choice.refund.title'] as string });
      await choice.getByRole('button').click();
      const address = page.getByRole('article').getByRole('textbox').first();
      await address.fill('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq');
      await page.getByRole('button', { name: claim['refund.send'] as string }).click();
      await expectAtTop(heading(page, locale, 'refund_pending'));
    });

    test('that ends it begins at the top, and the same exchange is prepared from there', async ({ page }) => {
      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      await visitor.submit();
      await page.getByRole('button', { name: claim['cancel.action'] as string }).click();
      await page.getByRole('button', { name: claim['cancel.yes'] as string }).click();
      await page.waitForURL(`**${root}/claim/fail?id=*`);
      await expectAtTop(heading(page, locale, 'cancelled'));
      await page.getByRole('link', { name: claim['fail.same'] as string }).click();
      await expect(page.getByRole('textbox', { name: new RegExp(`^${home.give}`) })).toHaveValue(/^0[.,]014\d*$/);
      await expect(page.locator('[name="toRequisites.card"]')).toHaveValue('2200 0000 0000 0004');
      await expect(page.getByRole('textbox', { name: home.email as string })).toHaveValue(visitor.email);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
    });
  });
}
