import { expect, type Page, test } from '@playwright/test';
import { Operator } from './operator.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import { type Locale, locales, screens, words } from './words.ts';

/** A wallet of the customer's, and the same with a slip in it. */
const WALLET = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const MISTYPED = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp';

/** The face of the ticket, without the stub that repeats what was agreed. */
const face = (page: Page) => page.getByRole('article').locator('> div').first();

/** An amount as the page writes it. */
const written = (amount: string, locale: Locale) => (locale === 'ru' ? amount.replace('.', ',') : amount);

/** Has a claim confirmed and reported as paid; gives its id. */
async function reported(visitor: Visitor): Promise<string> {
  await visitor.fillIn();
  await visitor.leave();
  const id = await visitor.confirm();
  await visitor.sayPaid();
  return id;
}

/** Says where the money goes back to: a slip is noticed before anything is sent. */
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
  const texts = words(locale, 'claim');
  const heading = (page: Page, state: string) =>
    page.getByRole('heading', { level: 1, name: texts[`state.${state}.heading`] as string });

  test.describe(`money that goes back, ${locale}, ${name}`, () => {
    test.use({ viewport: { width, height } });

    test('is named before it is chosen, and then as it really was', async ({ page, request }) => {
      const found = complaints(page);
      const visitor = new Visitor(page, locale);
      const id = await reported(visitor);
      const operator = await Operator.signIn(request);
      await operator.act(id, 'payment_seen', { txId: `in-${id}` });
      await operator.act(id, 'amount_mismatch', { amount: '0.0101' });
      const came = written('0.0101', locale);

      await expect(heading(page, 'amount_mismatch')).toBeVisible();
      const choice = page.getByRole('listitem').filter({ hasText: texts['choice.refund.title'] as string });
      await expect(choice).toContainText(came);
      await choice.getByRole('button').click();
      await expect(face(page)).toContainText(texts['refund.fee'] as string);
      await giveDestination(page, texts);

      await expect(heading(page, 'refund_pending')).toBeInViewport({ ratio: 1 });
      await expect(face(page)).toContainText(came);
      await expect(face(page)).not.toContainText(written('0.0142', locale));
      await operator.act(id, 'refund_sent', { txId: `back-${id}` });
      await expect(heading(page, 'refund_sent')).toBeVisible();
      await expect(face(page)).toContainText(texts['refund.returned'] as string);
      await operator.act(id, 'refund_done');
      await page.waitForURL(`**${root}/claim/fail?id=${id}`);
      await expect(face(page)).toContainText(came);
      await expect(face(page).getByTitle(`back-${id}`)).toBeVisible();
      await expect(face(page)).toContainText(/bc1q…mdq/);
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(found).toEqual([]);
    });

    test('and nobody knows where to is asked for', async ({ page, request }) => {
      const found = complaints(page);
      const visitor = new Visitor(page, locale);
      const id = await reported(visitor);
      const operator = await Operator.signIn(request);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await operator.act(id, 'refund', { reason: 'technical' });
      await expect(page.getByRole('heading', { level: 1, name: texts['refund.ask'] as string })).toBeVisible();
      await giveDestination(page, texts);
      await expect(heading(page, 'refund_pending')).toBeInViewport({ ratio: 1 });
      await expect(face(page)).toContainText(/bc1q…mdq/);
      await operator.act(id, 'refund_sent', { txId: `back-${id}` });
      await expect(heading(page, 'refund_sent')).toBeVisible();
      expect(found).toEqual([]);
    });

    test('or comes in parts says what was paid and what is left', async ({ page, request }) => {
      const found = complaints(page);
      const visitor = new Visitor(page, locale);
      const id = await reported(visitor);
      const operator = await Operator.signIn(request);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await operator.act(id, 'payout_partial', { amount: '60000' });
      await expect(heading(page, 'payout_partial')).toBeVisible();
      await expect(face(page)).toContainText(/60[\s,]000.₽/);
      await expect(face(page)).toContainText(new RegExp(`${texts['progress.left']}30[\\s,]000[.,]0\\d.₽`));
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(found).toEqual([]);
    });
  });
}
