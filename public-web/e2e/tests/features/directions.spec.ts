import { expect, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { locales } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OWNER } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'directions' });

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1400, height: 900 };

async function expectFits(page: Page): Promise<void> {
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
}

for (const { locale, root } of locales) {
  const [give, receive] = ({ ru: ['BTC', 'SBERRUB'], en: ['ETH', 'TCSBRUB'] } as const)[locale];
  const address = `${root}/exchange/${give}-to-${receive}/`.toLowerCase();

  test(`an owner previews a notice, takes terms over and archives a direction, ${locale}`, async ({
    app,
    browser,
    page,
  }) => {
    await page.setViewportSize(DESKTOP);
    const admin = new Console(page, locale, OWNER);
    const { pairs, newPairs, action, bulk } = admin.texts;
    await admin.enter();
    await page.goto('/admin/pairs');
    const open = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await open(`${give} → ${receive}`);
    const drawer = page.getByRole('region', { name: `${give} → ${receive}` });

    // Of its HTML visitors see what does no harm, and so does the preview.
    const label = (text: string, language: string) => text.replace('%{language}', language);
    for (const language of ['RU', 'EN']) {
      await drawer.getByLabel(label(pairs.noticeTitle, language), { exact: true }).fill(`Note ${language}`);
      await drawer
        .getByLabel(label(pairs.noticeText, language), { exact: true })
        .fill(`<p onclick="x()">Pay <b>yourself</b>, ${language}<script>x()</script></p>`);
    }
    const preview = drawer.getByRole('region', { name: pairs.noticesPreview });
    await expect(preview).toContainText(`Pay yourself, ${locale.toUpperCase()}`);
    const other = locale === 'ru' ? 'EN' : 'RU';
    await preview.getByRole('button', { name: other, exact: true }).click();
    await expect(preview.getByRole('heading', { name: `Note ${other}` })).toBeVisible();
    await expect(preview.locator('b')).toHaveText('yourself');
    await drawer.getByRole('button', { name: action.save, exact: true }).click();
    await expect(page.getByText(pairs.saved)).toBeVisible();

    const visitor = await (await browser.newContext({ baseURL: app.root, javaScriptEnabled: false })).newPage();
    await visitor.goto(address);
    await expect(visitor.getByRole('heading', { name: `Note ${locale.toUpperCase()}` })).toBeVisible();
    await expect(visitor.getByText(`Pay yourself, ${locale.toUpperCase()}`)).toBeVisible();

    // A new direction takes over all terms, and is off.
    await drawer.getByRole('button', { name: pairs.like }).click();
    const dialog = page.getByRole('dialog', { name: newPairs.title });
    await expect(dialog.getByRole('combobox', { name: new RegExp(newPairs.likeReceives) })).toContainText(receive);
    await expect(dialog.getByLabel(label(pairs.noticeTitle, 'RU'), { exact: true })).toHaveValue('Note RU');
    await expectFits(page);
    await page.keyboard.press('Escape');

    // Several at once: every value that changes is listed.
    await page.getByRole('button', { name: pairs.select }).click();
    await open(`${give} → ${receive}`);
    await page.getByRole('button', { name: bulk.change, exact: true }).click();
    const several = page.getByRole('dialog');
    await several.getByLabel(bulk.fields.hold, { exact: true }).click();
    await several.getByLabel(pairs.hold, { exact: true }).fill('45');
    await expect(several.getByRole('cell', { name: bulk.fields.hold, exact: true })).toBeVisible();
    await expect(several.getByRole('cell', { name: '45', exact: true })).toBeVisible();
    await page.keyboard.press('Escape');

    // Archived it has no page and no cell; the filter leads back to it.
    await page.goto('/admin/pairs');
    await open(`${give} → ${receive}`);
    await drawer.getByRole('button', { name: pairs.archive, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: pairs.archive, exact: true }).click();
    await expect(page.getByText(pairs.archiveDone.replace('%{name}', `${give} → ${receive}`))).toBeVisible();
    expect((await visitor.goto(address))?.status()).toBe(404);
    await page.goto('/admin/pairs');
    await expect(page.getByRole('button', { name: new RegExp(`^${give} → `) }).first()).toBeVisible();
    await expect(page.getByRole('button', { name: new RegExp(`^${give} → ${receive}`) })).toHaveCount(0);
    await page.getByRole('button', { name: pairs.filters.archived, exact: true }).click();
    await expectFits(page);
    await open(`${give} → ${receive}`);
    await drawer.getByRole('button', { name: pairs.unarchive, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: pairs.unarchive, exact: true }).click();
    await expect(page.getByText(pairs.unarchiveDone.replace('%{name}', `${give} → ${receive}`))).toBeVisible();
    expect((await visitor.goto(address))?.status()).toBe(200);
  });
}
