import { type APIRequestContext, expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, locales } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

/** A one-pixel PNG stands for the photo of a card. */
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Requires a verified card for roubles to bitcoin. */
async function requireCard(request: APIRequestContext): Promise<void> {
  const owner = await StaffApi.signIn(request);
  await owner.updatePair(await owner.pair('SBERRUB', 'BTC'), { verification: 'card' });
}

for (const { locale, root } of locales) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test('a card is verified by a photo before it pays', async ({ browser, page, request }) => {
      await requireCard(request);
      const guest = await browser.newContext({ viewport: PHONE, locale });
      const visitor = new Visitor(await guest.newPage(), locale);
      const { page: phone } = visitor;
      const claim = dictionary(locale, 'claim');
      const admin = new Console(page, locale);
      await page.setViewportSize(DESKTOP);
      const errors = [page, phone].map(consoleErrors);
      const expectFit = async () => {
        await expectNoOverflow(phone);
        await expectAccessible(phone);
      };

      await visitor.fillInFromCard();
      await expectFit();
      await visitor.submit();
      await phone.getByRole('button', { name: claim['review.confirm'] }).click();
      await visitor.expectState('verification');
      await expectFit();
      const number = (await phone.title()).replace(/\D/g, '');

      await phone.getByRole('link', { name: claim['state.verification.go'] }).click();
      await phone.waitForURL(`**${root}/verify/*`);
      await expect(phone.getByRole('heading', { name: claim['verify.card.heading'] })).toBeVisible();
      await expectFit();
      const photo = { name: 'card.png', mimeType: 'image/png', buffer: PHOTO };
      await phone.locator('input[type="file"]').setInputFiles(photo);
      await expect(phone.getByRole('heading', { name: claim['verify.sent.heading'] })).toBeVisible();
      await expectFit();

      await admin.open();
      await admin.signIn();
      await admin.openVerifications();
      await expectAccessible(page);
      await admin.verificationOf(number).click();
      await expect(page.getByRole('button', { name: /card\.png/ })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const { decisions } = admin.texts.verifications;
      await page.getByRole('button', { name: decisions.accept }).click();
      await expectAccessible(page);
      await admin.dialog.getByRole('button', { name: decisions.accept }).click();
      await admin.confirm();
      await expect(admin.dialog).toBeHidden();
      await expect(page.getByRole('button', { name: decisions.accept })).toBeHidden();

      // The page is updated by itself and leads back to the claim, which can be paid now.
      await expect(phone.getByRole('heading', { name: claim['verify.accepted.heading'] })).toBeVisible();
      await expectFit();
      await phone.getByRole('link', { name: claim['verify.to_payment'] }).click();
      await expect(phone.getByText('2202 2036 3600 4279')).toBeVisible();

      // The console is refused until the session is confirmed.
      expect(errors.flat().filter((message) => !/status of 403/.test(message))).toEqual([]);
      await guest.close();
    });
  });
}
