import { copyFile, readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { Console } from '../support/console.ts';
import { localeOfEngine, locales } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, OWNER } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'market tables' });

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };

/** A copy of a file by which its kind can be told. */
async function withEnding(path: string, ending: string): Promise<string> {
  await copyFile(path, `${path}${ending}`);
  return `${path}${ending}`;
}

/** Puts a value into a column of the line of a pair; the table has no quoted cells there. */
function changed(table: string, pair: [string, string], column: string, value: string): string {
  const [head = '', ...lines] = table.replace(/^\ufeff/, '').split('\r\n');
  const separator = head.includes(';') ? ';' : ',';
  const place = head.split(separator).indexOf(column);
  const line = lines.find((line) => line.startsWith(pair.join(separator) + separator)) ?? '';
  const cells = line.split(separator);
  cells[place] = value;
  return [head, cells.join(separator), ''].join('\r\n');
}

test('directions are exported, changed in a table, previewed and applied; visitors see the step', async ({
  app,
  browser,
  page,
}) => {
  const locale = localeOfEngine();
  await page.setViewportSize(DESKTOP);
  const admin = new Console(page, locale, OWNER);
  await admin.enter();
  await admin.openPairs();
  const { marketTable } = admin.texts;
  await page.getByRole('button', { name: marketTable.open, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: marketTable.pairs });
  const saved = page.waitForEvent('download');
  const download = (format: string) =>
    dialog.getByRole('button', { name: marketTable.download.replace('%{format}', format) }).click();
  await download('CSV');
  const table = await readFile(await (await saved).path(), 'utf8');
  const upload = (text: string) =>
    dialog
      .getByLabel(marketTable.choose)
      .last()
      .setInputFiles({
        name: 'pairs.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(text),
      });

  // A spreadsheet read back as it was saved changes nothing.
  const spreadsheet = page.waitForEvent('download');
  await download('XLSX');
  const file = dialog.getByLabel(marketTable.choose).last();
  await file.setInputFiles(await (await spreadsheet).path().then((path) => withEnding(path, '.xlsx')));
  await expect(dialog.getByText(marketTable.unchanged)).toBeVisible();

  await upload(changed(table, ['BTC', 'SBERRUB'], 'limits.to.step', 'many'));
  await expect(dialog.getByRole('cell', { name: 'limits.to.step' })).toBeVisible();
  await upload(changed(table, ['BTC', 'SBERRUB'], 'limits.to.step', '5000'));
  await expect(dialog.getByText('BTC → SBERRUB')).toBeVisible();
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    await expectAccessible(page);
  }
  await dialog.getByRole('button', { name: /1/ }).last().click();
  await expect(dialog).toHaveCount(0);

  const visitor = await (await browser.newContext({ baseURL: app.root, locale })).newPage();
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  await visitor.goto(`${root}/?cur_from=BTC&cur_to=SBERRUB`);
  await expect(visitor.locator('#amount-to-limits')).toContainText(/5[\s,]000/);
  const receive = visitor.locator('#amount-to');
  await receive.fill('12345');
  await receive.blur();
  await expect(receive).toHaveValue(/^10[\s,]000/);
  await expect(visitor.locator('#amount-to-limits')).toContainText(/5[\s,]000/);
});

test('an operator who may not edit the market finds no table to apply', async ({ page }) => {
  const locale = localeOfEngine();
  await page.setViewportSize(DESKTOP);
  const admin = new Console(page, locale, OPERATOR);
  await admin.enter();
  await admin.openPairs();
  await expect(page.getByRole('heading', { name: admin.texts.screens.pairs, level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: /^BTC → SBERRUB/ })).toBeVisible();
  await expect(page.getByRole('button', { name: admin.texts.marketTable.open })).toHaveCount(0);
});
