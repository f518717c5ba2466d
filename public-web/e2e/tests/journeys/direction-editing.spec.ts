import { expect, type Page } from '@playwright/test';
import { type Console, counted } from '../support/console.ts';
import { dictionary, type Locale, localeOfEngine, locales } from '../support/dictionary.ts';
import { openAsEditor } from '../support/editor.ts';
import { expectAccessible } from '../support/page.ts';
import { StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'market set-up', viewport: { width: 1400, height: 900 } });

const FEE = '0.002';
/** A cycle runs every five seconds. */
const WITHIN_A_CYCLE = { timeout: 30_000 };

const rootOf = (locale: Locale) => locales.find((one) => one.locale === locale)?.root ?? '';

/** Opens the terms of a direction. */
async function openDirection({ page }: Console, name: string) {
  await page.goto('/admin/pairs');
  await page.getByRole('button', { name: new RegExp(`^${name},`) }).click();
  return page.getByRole('region', { name, exact: true });
}

async function choose(page: Page, within: ReturnType<Page['getByRole']>, label: string, option: string): Promise<void> {
  await within.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

test('directions are made by kind after a preview of their rates, and by the terms of another', async ({
  app,
  browser,
  page,
  request,
}) => {
  const locale = localeOfEngine();
  const root = rootOf(locale);
  const owner = await StaffApi.signIn(request);
  const ether = (await owner.call('GET', '/currencies')).find(({ code }: { code: string }) => code === 'ETH');
  await owner.call('PATCH', `/currencies/${ether.id}`, { revision: ether.revision, networkFee: FEE });
  const admin = await openAsEditor(page, request, locale);
  const { pairs, newPairs, live, action } = admin.texts;
  const visitor = await (await browser.newContext({ baseURL: app.root, locale })).newPage();

  // All crypto to a bank at two percent: those that exist stay as they are.
  await page.goto('/admin/pairs?new');
  const dialog = page.getByRole('dialog', { name: newPairs.title });
  const side = (legend: string) => dialog.getByRole('group', { name: legend, exact: true });
  const press = (legend: string, name: string) => side(legend).getByRole('button', { name, exact: true }).click();
  await press(newPairs.gives, pairs.filters.crypto);
  await press(newPairs.receives, 'CARDUAH');
  await dialog.getByLabel(pairs.spread, { exact: true }).fill('2');
  await dialog.getByLabel(pairs.isOff, { exact: true }).check();
  const preview = dialog.getByRole('region', { name: newPairs.preview });
  const solana = preview.getByRole('row').filter({ hasText: 'SOL → CARDUAH' });
  await expect(solana).toContainText(pairs.stateShort.ok);
  await expect(solana.getByRole('cell').nth(1)).toContainText(/\d[\s,]\d{3}/);
  await expect(preview.getByRole('row').filter({ hasText: 'BTC → CARDUAH' })).toHaveCount(0);
  await expectAccessible(page);
  const made = await preview.getByRole('row').count();
  await dialog.getByRole('button', { name: counted(newPairs.create, made - 1) }).click();
  await expect(page.getByText(counted(newPairs.created, made - 1))).toBeVisible();
  await visitor.goto(`${root}/exchange/sol-to-carduah/`);
  await expect(visitor.getByText(/1\sSOL = \d/).first()).toBeVisible();
  const solanaTerms = await openDirection(admin, 'SOL → CARDUAH');
  await expect(solanaTerms).toContainText(new RegExp(`${live.margin}\\s*2\\s%`));

  // The customer pays the network: in one direction, then in another like it.
  const network = dictionary(locale, 'quote').network_fee_customer?.split('{{')[0]?.trim() as string;
  const terms = await openDirection(admin, 'SBERRUB → ETH');
  await choose(page, terms, pairs.networkFeePayer, pairs.payers.customer);
  await terms.getByRole('button', { name: action.save, exact: true }).click();
  await expect(page.getByText(pairs.saved)).toBeVisible();
  await terms.getByRole('button', { name: pairs.like }).click();
  await press(newPairs.gives, newPairs.none);
  await press(newPairs.gives, 'CARDUAH');
  await press(newPairs.receives, 'ETH');
  await dialog.getByLabel(pairs.isOff, { exact: true }).check();
  await dialog.getByRole('button', { name: counted(newPairs.create, 1) }).click();
  await expect(page.getByText(counted(newPairs.created, 1))).toBeVisible();
  for (const path of ['sberrub-to-eth', 'carduah-to-eth']) {
    await visitor.goto(`${root}/exchange/${path}/`);
    await expect(visitor.getByText(network)).toContainText(/0[.,]002/);
  }

  // Cash is handed over in one of the currency's cities only.
  const cash = await openDirection(admin, 'BTC → CASHUSD');
  await cash.getByLabel({ ru: 'Москва', en: 'Moscow' }[locale], { exact: true }).check();
  await cash.getByRole('button', { name: action.save, exact: true }).click();
  await expect(page.getByText(pairs.saved)).toBeVisible();
  expect((await request.get(`${root}/exchange/btc-to-cashusd/dubai/`)).status()).toBe(404);
  await visitor.goto(`${root}/?cur_from=BTC&cur_to=CASHUSD`);
  const city = visitor.getByLabel(dictionary(locale, 'home').city as string, { exact: true });
  await expect(city.locator('option[value="MSK"]')).toHaveCount(1);
  await expect(city.locator('option[value="DUBAI"]')).toHaveCount(0);
  await visitor.context().close();
});
