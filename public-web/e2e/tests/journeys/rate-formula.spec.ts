import { expect, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, type Locale, localeOfEngine, locales } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OWNER } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'rate formula' });

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
const FORMULA = 'mid(market:BTC/RUB) * (1 - 1%)';
/** A cycle runs every five seconds. */
const WITHIN_A_CYCLE = { timeout: 30_000 };

/** What a visitor is quoted for bitcoin, on the page. */
async function quote(visitor: Page, locale: Locale): Promise<{ course: string; explanation: string }> {
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  const response = visitor.waitForResponse((one) => /calculator\/pair\//.test(one.url()) && one.ok());
  await visitor.goto(`${root}/?cur_from=BTC&cur_to=SBERRUB`);
  const receive = visitor.getByRole('textbox', { name: new RegExp(`^${dictionary(locale, 'home').receive}`) });
  await expect(receive).not.toHaveValue('');
  return (await response).json();
}

test('a formula is refused where it is wrong, shown before it is saved, and then what visitors get', async ({
  app,
  browser,
  page,
}) => {
  const locale = localeOfEngine();
  const visitor = await (await browser.newContext({ baseURL: app.root, locale })).newPage();
  const before = await quote(visitor, locale);
  const admin = new Console(page, locale, OWNER);
  const { live, action } = admin.texts;
  await page.setViewportSize(DESKTOP);
  await admin.enter();
  await admin.openPairs();
  await page.getByRole('button', { name: /^BTC → SBERRUB/ }).click();
  await page.getByRole('button', { name: live.rules, exact: true }).click();

  const dialog = page.getByRole('dialog');
  const formula = dialog.getByLabel(live.rule.formula, { exact: true });
  await formula.fill('market:BTC/RUB + 1%');
  await expect(dialog.getByText(/\(1 \+ 1%\)/)).toBeVisible();
  await expect(dialog.locator('mark')).toHaveText('+');

  await formula.fill(FORMULA);
  const preview = dialog.getByRole('region', { name: live.preview });
  await expect(preview).toContainText('market:BTC/RUB');
  await expect(dialog.locator('mark')).toHaveCount(0);
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  await dialog.getByRole('button', { name: action.save, exact: true }).click();
  await expect(page.getByText(live.rulesSaved.replace('%{name}', 'BTC → SBERRUB'))).toBeVisible();
  await expect(page.getByRole('region', { name: 'BTC → SBERRUB' })).toContainText(FORMULA, WITHIN_A_CYCLE);

  await expect(async () => {
    const after = await quote(visitor, locale);
    expect(Number(after.course) / Number(before.course)).toBeGreaterThan(0.985);
    expect(Number(after.course) / Number(before.course)).toBeLessThan(0.995);
    expect(after.explanation).not.toContain('mid(');
  }).toPass(WITHIN_A_CYCLE);
});
