import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, locales } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow, loads } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

const DESKTOP = { width: 1280, height: 900 };

/** The claim number in the visitor's title: "Claim 1 024" is 1024 in the console. */
async function numberOf(visitor: Visitor): Promise<string> {
  const title = await visitor.page.title();
  return title.replace(/\D/g, '');
}

for (const { locale } of locales) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test(`an operator processes a claim, and the visitor's page follows`, async ({ browser, page }) => {
      const guest = await browser.newContext({ viewport: DESKTOP, locale });
      const visitor = new Visitor(await guest.newPage(), locale);
      const admin = new Console(page, locale);
      await page.setViewportSize(DESKTOP);
      const errors = [...[page, visitor.page].map(consoleErrors)];

      await admin.open();
      await expectAccessible(page);
      await admin.signIn();
      await admin.openQueue();
      const reloaded = loads(page);

      // The claim appears in the open queue by itself.
      await visitor.fillIn();
      await visitor.submit();
      const id = await visitor.confirm();
      const number = await numberOf(visitor);
      const row = admin.row(number);
      await expect(row).toContainText(admin.texts.status.awaiting_payment);
      await expect(row).toContainText(admin.texts.claims.new);
      await visitor.reportPayment();
      const looking = loads(visitor.page);

      // It is opened and locked by the keyboard.
      await row.getByRole('link').focus();
      await page.keyboard.press('Enter');
      await admin.expectState('payment_claimed');
      await admin.pressTake();
      await expect(admin.panel).toContainText(admin.texts.claim.heldByYou);
      await expectAccessible(page);
      await expectNoOverflow(page);

      await admin.step('payment_received').click();
      await expectAccessible(page);
      await admin.dialog.getByLabel(admin.texts.ask.txId).fill(`in-${id}`);
      await admin.dialog.getByRole('button', { name: admin.texts.moves.payment_received.do }).click();
      await admin.expectState('paid');
      await visitor.expectState('paid');

      // The main action of each state has a key.
      await admin.pressMain();
      await admin.expectState('processing');
      await admin.pressMain();
      await admin.dialog.getByLabel(admin.texts.ask.txId).fill(`out-${id}`);
      await page.keyboard.press('Control+Enter');
      await admin.confirm();
      await admin.expectState('payout_sent');
      await visitor.expectState('payout_sent');

      await admin.step('complete').click();
      await admin.dialog.getByRole('button', { name: admin.texts.moves.complete.do }).click();
      await admin.expectState('completed');
      await visitor.expectSuccess(id);
      const stamp = dictionary(locale, 'claim')['success.stamp'] as string;
      await expect(visitor.page.getByText(`${stamp} · ${stamp}`)).toBeVisible();

      expect([reloaded.count, looking.count]).toEqual([0, 0]);
      // The browser reports the refusal that asks for confirmation.
      expect(errors.flat().filter((message) => !/status of 403/.test(message))).toEqual([]);
      await guest.close();
    });
  });
}
