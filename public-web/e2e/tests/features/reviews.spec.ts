import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, OWNER, StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  const claimTexts = dictionary(locale, 'claim');
  const text = (key: string) => claimTexts[`success.review.${key}`] as string;
  // Both languages write to one server.
  const name = `${locale} ${Date.now()}`;

  test.describe(`reviews, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('a customer writes, a moderator publishes and answers, everybody reads', async ({
      page,
      browser,
      request,
    }) => {
      const errors = consoleErrors(page);
      const visitor = new Visitor(page, locale);
      const id = await visitor.pay();
      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await operator.act(id, 'complete');
      await visitor.expectSuccess(id);

      const form = page.getByRole('region', { name: text('title') });
      await form.getByRole('button', { name: text('send') }).click();
      await expect(form.getByRole('textbox', { name: text('text') })).toHaveAttribute('aria-invalid', 'true');
      await form.getByRole('radio').nth(3).check();
      await form.getByRole('textbox', { name: text('text') }).fill('Hello\nhttps://example.com <b>');
      await form.getByRole('textbox', { name: text('name') }).fill(name);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await form.getByRole('button', { name: text('send') }).click();
      await expect(form.getByRole('status')).toHaveText(text('state.pending'));
      await expectAccessible(page);

      // An operator reads reviews and decides about none.
      const staffPage = await browser.newPage();
      const reader = new Console(staffPage, locale, OPERATOR);
      const { reviews, action } = reader.texts;
      await reader.open();
      await reader.signIn();
      await staffPage.goto('/admin/reviews');
      const card = staffPage.getByRole('article', { name });
      await expect(card).toBeVisible();
      await expect(card.getByRole('button')).toHaveCount(0);
      await staffPage.close();

      const ownersPage = await browser.newPage();
      const moderator = new Console(ownersPage, locale, OWNER);
      await moderator.enter();
      await ownersPage.goto('/admin/reviews');
      const waiting = ownersPage.getByRole('article', { name });
      await expect(waiting).toBeVisible();
      await expectAccessible(ownersPage);
      await waiting.getByRole('button', { name: action.publish }).click();
      await expect(waiting).toHaveCount(0);
      await ownersPage.goto('/admin/reviews?tab=published');
      await waiting.getByRole('button', { name: reviews.reply }).click();
      await moderator.fill(reviews.replyLabel, 'Thank you');
      await moderator.press(moderator.texts.action.save);
      await expect(waiting).toContainText('Thank you');
      await ownersPage.close();

      await page.goto(`${root}/`);
      await page.locator('footer').locator(`a[href="${root}/reviews"]`).click();
      const shown = page.getByRole('listitem').filter({ hasText: name });
      await expect(shown).toContainText('BTC → RUB');
      await expect(shown).toContainText('https://example.com <b>');
      await expect(shown).toContainText('Thank you');
      await expect(shown.getByRole('link')).toHaveCount(0);
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(errors).toEqual([]);

      const plain = await browser.newPage({ javaScriptEnabled: false });
      await plain.goto(new URL(`${root}/reviews`, page.url()).href);
      await expect(plain.getByRole('listitem').filter({ hasText: name })).toBeVisible();
      await plain.close();
    });
  });
}
