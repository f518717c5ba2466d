import { expect, test } from '@playwright/test';
import { Console } from './console.ts';
import { complaints, expectAccessible, expectNoOverflow, loads } from './page.ts';
import { Visitor } from './visitor.ts';
import { locales, words } from './words.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

/** The short number in a visitor's heading: "Claim 1 024" is 1024 on the desk. */
async function numberOf(visitor: Visitor): Promise<string> {
  const title = await visitor.page.title();
  return title.replace(/\D/g, '');
}

for (const { locale } of locales) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test(`an operator works a claim while the visitor looks on`, async ({ browser, page }) => {
      const guest = await browser.newContext({ viewport: DESKTOP, locale });
      const visitor = new Visitor(await guest.newPage(), locale);
      const desk = new Console(page, locale);
      await page.setViewportSize(DESKTOP);
      const found = [...[page, visitor.page].map(complaints)];

      await desk.open();
      await expectAccessible(page);
      await desk.signIn();
      await desk.openDesk();
      const reloaded = loads(page);

      // The claim arrives on the open desk by itself.
      await visitor.fillIn();
      await visitor.leave();
      const id = await visitor.confirm();
      const number = await numberOf(visitor);
      const row = desk.row(number);
      await expect(row).toContainText(desk.words.status.awaiting_payment);
      await expect(row).toContainText(desk.words.claims.new);
      await visitor.sayPaid();
      const looking = loads(visitor.page);

      // It is opened and taken in hand by the keyboard.
      await row.getByRole('link').focus();
      await page.keyboard.press('Enter');
      await desk.expectState('payment_claimed');
      await page.keyboard.press('t');
      await expect(desk.panel).toContainText(desk.words.claim.heldByYou);
      await expectAccessible(page);
      await expectNoOverflow(page);

      await desk.step('payment_received').click();
      await expectAccessible(page);
      await desk.dialog.getByRole('button', { name: desk.words.moves.payment_received.do }).click();
      await desk.expectState('paid');
      await visitor.expectState('paid');

      // The main step of each state has a key.
      await desk.pressMain();
      await desk.expectState('processing');
      await desk.pressMain();
      await desk.dialog.getByLabel(desk.words.ask.txId).fill(`out-${id}`);
      await page.keyboard.press('Control+Enter');
      await desk.confirm();
      await desk.expectState('payout_sent');
      await visitor.expectState('payout_sent');

      await desk.step('complete').click();
      await desk.dialog.getByRole('button', { name: desk.words.moves.complete.do }).click();
      await desk.expectState('completed');
      await visitor.expectSuccess(id);
      await expect(visitor.page.getByText(words(locale, 'claim')['success.stamp'] as string)).toBeVisible();

      expect([reloaded.count, looking.count]).toEqual([0, 0]);
      // The browser itself tells of the refusal that asks who is there.
      expect(found.flat().filter((message) => !/status of 403/.test(message))).toEqual([]);
      await guest.close();
    });

    test(`the desk fits a phone`, async ({ page }) => {
      const desk = new Console(page, locale);
      await page.setViewportSize(PHONE);
      const found = complaints(page);
      const expectFit = async () => {
        await expectNoOverflow(page);
        await expectAccessible(page);
      };

      await desk.open();
      await expectFit();
      await desk.signIn();
      await expectFit();
      await desk.openDesk();
      await expectFit();
      // Of the claims the demonstration begins with.
      await page.getByRole('row').getByRole('link').first().click();
      await expect(desk.panel).toContainText(desk.words.claim.timeline);
      await expectFit();
      expect(found).toEqual([]);
    });
  });
}
