import { expect, type Page, test } from '@playwright/test';
import { dictionary, type Locale, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

const WALLET = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

/** The ticket without the stub that repeats the terms. */
const face = (page: Page) => page.getByRole('article').locator('> div').first();

/** An amount as the page formats it. */
const amountText = (amount: string, locale: Locale) => (locale === 'ru' ? amount.replace('.', ',') : amount);

for (const [at, { locale, root }] of locales.entries()) {
  const { name, width, height } = screens[at] ?? screens[0];
  const texts = dictionary(locale, 'claim');
  const account = dictionary(locale, 'account');
  const heading = (page: Page, state: string) =>
    page.getByRole('heading', { level: 1, name: texts[`state.${state}.heading`] as string });

  test.describe(`a surplus, ${locale}, ${name}`, () => {
    test.use({ viewport: { width, height } });

    test('comes back after the exchange that was agreed', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const visitor = new Visitor(page, locale);
      const id = await visitor.pay();
      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_seen', { txId: `in-${id}` });
      await operator.act(id, 'amount_mismatch', { amount: '0.0202' });

      await expect(heading(page, 'amount_mismatch')).toBeVisible();
      const choice = page.getByRole('listitem').filter({ hasText: texts['choice.surplus.title'] as string });
      const rest = /0[.,]00[56]\d*/;
      await expect(choice).toContainText(rest);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await choice.getByRole('button').click();
      await expect(face(page)).toContainText(texts['surplus.exchanged'] as string);
      await expect(face(page)).toContainText(texts['refund.feeNone'] as string);
      await face(page).getByRole('textbox').first().fill(WALLET);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.getByRole('button', { name: texts['surplus.send'] as string }).click();

      await expect(heading(page, 'paid')).toBeInViewport({ ratio: 1 });
      await expect(face(page)).toContainText(texts['surplus.after'] as string);
      await expect(face(page)).toContainText(/bc1qar…wf5mdq/);
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await operator.act(id, 'complete');
      await expect(heading(page, 'surplus_pending')).toBeVisible();
      await expect(face(page)).toContainText(rest);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.goto(`${root}/faq`);
      const bar = page.getByRole('navigation', { name: account['open_claims.label'] as string });
      await expect(bar).toContainText(account['status.surplus_pending'] as string);
      await page.goto(`${root}/claim`);
      await expect(heading(page, 'surplus_pending')).toBeVisible();
      await operator.act(id, 'refund_sent', { txId: `back-${id}` });
      await expect(heading(page, 'surplus_sent')).toBeVisible();
      await operator.act(id, 'refund_done');
      await page.waitForURL(`**${root}/claim/success?id=${id}`);
      await expect(face(page).getByTitle(`back-${id}`)).toBeVisible();
      await expect(face(page)).toContainText(amountText('0.0202', locale));
      await expect(face(page)).toContainText(rest);
      expect(errors).toEqual([]);
    });
  });
}
