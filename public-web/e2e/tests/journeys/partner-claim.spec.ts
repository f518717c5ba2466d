import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { localeOfEngine } from '../support/dictionary.ts';
import { expectAccessible } from '../support/page.ts';
import { PartnerApi } from '../support/partner-api.ts';
import { OWNER } from '../support/staff-api.ts';

test('the owner creates a partner key, and a claim of the partner appears in the queue', async ({ page, baseURL }) => {
  const admin = new Console(page, localeOfEngine(), OWNER);
  const { partners, fields } = admin.texts;
  await admin.open();
  await admin.signIn();
  await admin.openPartners();
  await admin.press(partners.add);
  await admin.fill(fields.name, 'Corner shop');
  await admin.fill(fields.email, 'shop@example.com');
  await admin.press(admin.texts.action.save);
  await admin.confirm();
  await admin.press(partners.secretSaved);
  await page.getByRole('link', { name: 'Corner shop' }).click();
  await admin.press(partners.newKey);
  await admin.fill(partners.keyTitle, 'Till');
  await admin.dialog.getByLabel(partners.sandbox, { exact: true }).click();
  await admin.press(partners.createKey);
  await expect(admin.dialog.locator('code')).toHaveCount(2);
  const [key = '', secret = ''] = await admin.dialog.locator('code').allInnerTexts();
  await expectAccessible(page);
  await admin.press(partners.secretSaved);

  const number = await new PartnerApi(baseURL ?? '', key, secret).createClaim(
    'BTC',
    'SBERRUB',
    '0.01',
    'buyer@example.com',
  );
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: 'BTC → SBERRUB' })).toBeVisible();
  await expectAccessible(page);
  await admin.openQueue();
  await expect(admin.row(number)).toContainText(admin.texts.status.awaiting_payment);
});
