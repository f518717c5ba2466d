import { expect } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, localeOfEngine } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, OWNER } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';
import { Visitor } from '../support/visitor.ts';

test.use({ scenario: 'customer terms' });

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
const TITLE = { ru: 'Возвратов нет', en: 'No returns' };
const TEXT = { ru: 'Отменить обмен <b>нельзя</b>.', en: 'An exchange <b>cannot</b> be undone.' };

test('terms set for a direction are accepted before the payment and stay with the claim', async ({
  app,
  browser,
  page,
}) => {
  const locale = localeOfEngine();
  await page.setViewportSize(DESKTOP);
  const admin = new Console(page, locale, OWNER);
  const { pairs, action, claim: labels } = admin.texts;
  await admin.enter();
  await admin.openPairs();
  await page.getByRole('button', { name: /^BTC → SBERRUB/ }).click();
  const drawer = page.getByRole('region', { name: 'BTC → SBERRUB' });
  await expect(drawer.getByRole('heading', { name: pairs.customerTerms })).toBeVisible();
  for (const language of ['ru', 'en'] as const) {
    const field = (label: string) =>
      drawer.getByLabel(label.replace('%{language}', language.toUpperCase()), { exact: true });
    await field(pairs.termsTitle).fill(TITLE[language]);
    await field(pairs.termsText).fill(TEXT[language]);
  }
  const preview = drawer.getByRole('region', { name: pairs.noticesPreview });
  await expect(preview.locator('b')).toHaveText(/нельзя|cannot/);
  await expectAccessible(page);
  await drawer.getByRole('button', { name: action.save, exact: true }).click();
  await expect(page.getByText(pairs.saved)).toBeVisible();

  const context = await browser.newContext({ baseURL: app.root, locale, viewport: PHONE });
  const visitor = new Visitor(await context.newPage(), locale);
  const claim = dictionary(locale, 'claim');
  await visitor.fillIn();
  const note = dictionary(locale, 'quote').customer_terms?.replace('{{title}}', TITLE[locale]) ?? '';
  await visitor.page.getByText(note).click();
  await expect(visitor.page.locator('details b')).toHaveText(/нельзя|cannot/);
  await visitor.submit();
  await expect(visitor.page.getByRole('region', { name: TITLE[locale] })).toContainText(/нельзя|cannot/);
  await expectNoOverflow(visitor.page);
  await expectAccessible(visitor.page);
  await visitor.page.getByRole('button', { name: claim['review.confirm'] }).click();
  await expect(visitor.page.getByText(claim['review.customerTermsMissing'] ?? '')).toBeVisible();
  await visitor.page.getByLabel(claim['review.customerTerms'] ?? '').check();
  const id = await visitor.confirm();

  await page.goto(`/admin/claims/${id}`);
  const accepted = page.getByText(new RegExp(`^${TITLE[locale]}, `));
  await expect(page.getByText(labels.termsAccepted, { exact: true })).toBeVisible();
  await accepted.click();
  await expect(page.locator('details b')).toHaveText(/нельзя|cannot/);
  await expectAccessible(page);
});

test('an operator who may not edit the market cannot set them', async ({ page }) => {
  const locale = localeOfEngine();
  await page.setViewportSize(DESKTOP);
  const admin = new Console(page, locale, OPERATOR);
  await admin.open();
  await admin.signIn();
  await admin.openPairs();
  await page.getByRole('button', { name: /^BTC → SBERRUB/ }).click();
  const drawer = page.getByRole('region', { name: 'BTC → SBERRUB' });
  const title = admin.texts.pairs.termsTitle.replace('%{language}', 'RU');
  await expect(drawer.getByLabel(title, { exact: true })).toBeDisabled();
  await expect(drawer.getByRole('button', { name: admin.texts.action.save, exact: true })).toHaveCount(0);
});
