import { expect, type Page, test } from '@playwright/test';
import { dictionary, type Locale, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

/** A wallet of the customer's, and the same with a typing error. */
const WALLET = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const MISTYPED = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp';

/** The ticket without the stub that repeats the terms. */
const face = (page: Page) => page.getByRole('article').locator('> div').first();

/** An amount as the page formats it. */
const amountText = (amount: string, locale: Locale) => (locale === 'ru' ? amount.replace('.', ',') : amount);

/** Enters the refund's destination: a typing error is found before it is submitted. */
async function giveDestination(page: Page, texts: Record<string, string>): Promise<void> {
  const address = face(page).getByRole('textbox').first();
  await address.fill(MISTYPED);
  await address.blur();
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await address.fill(WALLET);
  await address.blur();
  await expect(address).not.toHaveAttribute('aria-invalid');
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole('button', { name: texts['refund.send'] as string }).click();
}

for (const [at, { locale, root }] of locales.entries()) {
  const { name, width, height } = screens[at] ?? screens[0];
  const texts = dictionary(locale, 'claim');
  const heading = (page: Page, state: string) =>
    page.getByRole('heading', { level: 1, name: texts[`state.${state}.heading`] as string });

  test.describe(`a refund, ${locale}, ${name}`, () => {
    test.use({ viewport: { width, height } });

    test('shows its amount before it is requested and after it is paid', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const visitor = new Visitor(page, locale);
      const id = await visitor.pay();
      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_seen', { txId: `in-${id}` });
      await operator.act(id, 'amount_mismatch', { amount: '0.0101' });
      const came = amountText('0.0101', locale);

      await expect(heading(page, 'amount_mismatch')).toBeVisible();
      const choice = page.getByRole('listitem').filter({ hasText: texts['choice.refund.title'] as string });
      await expect(choice).toContainText(came);
      await choice.getByRole('button').click();
      await expect(face(page)).toContainText(texts['refund.fee'] as string);
      await giveDestination(page, texts);

      await expect(heading(page, 'refund_pending')).toBeInViewport({ ratio: 1 });
      await expect(face(page)).toContainText(came);
      await expect(face(page)).not.toContainText(amountText('0.0142', locale));
      await operator.act(id, 'refund_sent', { txId: `back-${id}` });
      await expect(heading(page, 'refund_sent')).toBeVisible();
      await expect(face(page)).toContainText(texts['refund.underWay'] as string);
      await operator.act(id, 'refund_done');
      await page.waitForURL(`**${root}/claim/fail?id=${id}`);
      await expect(face(page)).toContainText(texts['refund.returned'] as string);
      await expect(face(page)).toContainText(came);
      await expect(face(page).getByTitle(`back-${id}`)).toBeVisible();
      await expect(face(page)).toContainText(/bc1qar…wf5mdq/);
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(errors).toEqual([]);
    });

    test('without a destination asks the customer for one', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const visitor = new Visitor(page, locale);
      const id = await visitor.pay();
      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await operator.act(id, 'refund', { reason: 'technical' });
      await expect(page.getByRole('heading', { level: 1, name: texts['refund.ask'] as string })).toBeVisible();
      await giveDestination(page, texts);
      await expect(heading(page, 'refund_pending')).toBeInViewport({ ratio: 1 });
      await expect(face(page)).toContainText(/bc1qar…wf5mdq/);
      await operator.act(id, 'refund_sent', { txId: `back-${id}` });
      await expect(heading(page, 'refund_sent')).toBeVisible();
      expect(errors).toEqual([]);
    });

    test('is not needed for a partial payout, which shows what is paid and what is left', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const visitor = new Visitor(page, locale);
      const id = await visitor.pay();
      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await operator.act(id, 'payout_partial', { amount: '60000' });
      await expect(heading(page, 'payout_partial')).toBeVisible();
      await expect(face(page)).toContainText(/60[\s,]000.₽/);
      await expect(face(page)).toContainText(new RegExp(`${texts['progress.left']}30[\\s,]000[.,]0\\d.₽`));
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(errors).toEqual([]);
    });
  });
}
