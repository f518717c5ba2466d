import { type APIRequestContext, expect, test } from '@playwright/test';
import { Console } from './console.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import { locales, words } from './words.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

/** A one-pixel PNG stands for the photo of a card. */
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The owner has the card verified that roubles are paid from for bitcoin. */
async function askForCards(request: APIRequestContext): Promise<void> {
  const data = { email: 'owner@agio.example', password: 'agio-demo-owner' };
  const login = await request.post('/api/admin/v1/auth/login', { data });
  const headers = { authorization: `Bearer ${(await login.json()).accessToken}` };
  const currencies = await (await request.get('/api/admin/v1/currencies', { headers })).json();
  const idOf = (code: string) => currencies.find((one: { code: string }) => one.code === code).id;
  const pairs = await (await request.get('/api/admin/v1/pairs', { headers })).json();
  const pair = pairs.find(
    (one: { fromId: number; toId: number }) => one.fromId === idOf('SBERRUB') && one.toId === idOf('BTC'),
  );
  const change = { revision: pair.revision, verification: 'card' };
  const answer = await request.patch(`/api/admin/v1/pairs/${pair.id}`, { data: change, headers });
  expect(answer.ok(), await answer.text()).toBe(true);
}

for (const { locale, root } of locales) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test('a card is shown by a photo before it pays', async ({ browser, page, request }) => {
      await askForCards(request);
      const guest = await browser.newContext({ viewport: PHONE, locale });
      const visitor = new Visitor(await guest.newPage(), locale);
      const { page: phone } = visitor;
      const claim = words(locale, 'claim');
      const desk = new Console(page, locale);
      await page.setViewportSize(DESKTOP);
      const found = [page, phone].map(complaints);
      const expectFit = async () => {
        await expectNoOverflow(phone);
        await expectAccessible(phone);
      };

      await visitor.fillInFromCard();
      await expectFit();
      await visitor.leave();
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

      await desk.open();
      await desk.signIn();
      await desk.openVerifications();
      await expectAccessible(page);
      await desk.verificationOf(number).click();
      await expect(page.getByRole('button', { name: /card\.png/ })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const { decisions } = desk.words.verifications;
      await page.getByRole('button', { name: decisions.accept }).click();
      await expectAccessible(page);
      await desk.dialog.getByRole('button', { name: decisions.accept }).click();
      await expect(desk.dialog).toBeHidden();
      await expect(page.getByRole('button', { name: decisions.accept })).toBeHidden();

      // The page finds out by itself and leads back to a claim that can be paid now.
      await expect(phone.getByRole('heading', { name: claim['verify.accepted.heading'] })).toBeVisible();
      await expectFit();
      await phone.getByRole('link', { name: claim['verify.to_payment'] }).click();
      await expect(phone.getByText('2202 2036 3600 4279')).toBeVisible();

      expect(found.flat()).toEqual([]);
      await guest.close();
    });
  });
}
