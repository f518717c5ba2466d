import { expect, type Page } from '@playwright/test';
import { Console, counted } from '../support/console.ts';
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
  await expect(solanaTerms).toContainText(new RegExp(`${live.margin}\\s*2\\s?%`));

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
    // The terms are in force a moment after they were saved.
    await expect(async () => {
      await visitor.goto(`${root}/exchange/${path}/`);
      await expect(visitor.getByText(network)).toContainText(/0[.,]002/, { timeout: 2_000 });
    }).toPass();
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

test('rate rules price by the hour and by competitors, suspend, and let the pair resume', async ({
  app,
  browser,
  page,
  request,
}) => {
  const locale = localeOfEngine();
  const root = rootOf(locale);
  const { directions } = await (await request.get('/api/v1/calculator/')).json();
  const id = (code: string) => directions.find((one: { code: string }) => one.code === code).id;
  const rate = async (give: string) => {
    const { course } = await (await request.get(`/api/v1/calculator/pair/${id(give)}/${id('TCSBRUB')}/`)).json();
    return Number(course);
  };
  const [bitcoin, ether] = [await rate('BTC'), await rate('ETH')];
  const owner = await StaffApi.signIn(request);
  // Not used as a source, so that nothing leaves this machine: competitors make no offers.
  const { items: plugins } = await owner.call('GET', '/plugins');
  const { revision } = plugins.find((one: { name: string }) => one.name === 'bestchange');
  await owner.call('PATCH', '/plugins/bestchange', { revision, enabled: true, settings: { key: 'none' } });
  const admin = await openAsEditor(page, request, locale);
  const { live, action } = admin.texts;
  const { rule } = live;
  const openRules = async (name: string) => {
    const drawer = await openDirection(admin, name);
    await drawer.getByRole('button', { name: live.rules, exact: true }).click();
    return drawer;
  };
  const save = async (name: string) => {
    await admin.press(action.save);
    await expect(page.getByText(live.rulesSaved.replace('%{name}', name))).toBeVisible();
  };
  const field = (label: string) => admin.dialog.getByLabel(label, { exact: true });

  // By the hour: it is night there, and day here.
  await openRules('ETH → TCSBRUB');
  const hour = (plus: number) =>
    new Date(Date.now() + plus * 3_600_000).toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo', timeStyle: 'short' });
  await admin.fill(rule.hours, `1234567 ${hour(-1)}-${hour(2)} -3`);
  await admin.fill(rule.timeZone, 'Mars/Base');
  await admin.fill(rule.floor, '0');
  await admin.fill(rule.ceiling, '9');
  await admin.press(action.save);
  await expect(field(rule.timeZone)).toHaveAttribute('aria-invalid', 'true');
  await admin.fill(rule.timeZone, 'Asia/Tokyo');
  await save('ETH → TCSBRUB');

  // Without offers of competitors the margin is between its bounds; a rank without a floor is refused.
  await openRules('BTC → TCSBRUB');
  await choose(page, admin.dialog, rule.aggregator, 'BestChange');
  await admin.press(action.save);
  await expect(field(rule.floor)).toHaveAttribute('aria-invalid', 'true');
  await admin.fill(rule.floor, '4');
  await admin.fill(rule.ceiling, '4.5');
  await expectAccessible(page);
  await save('BTC → TCSBRUB');

  // A formula that gives no rate suspends the pair. Corrected, it waits for staff: an operator may resume it.
  const name = 'BTC → SBPRUB';
  await openRules(name);
  await admin.fill(rule.formula, 'mid(market:BTC/RUB) - 2 * mid(market:BTC/RUB)');
  await admin.fill(rule.resumeAfter, '0');
  await save(name);
  const release = (word: string) => page.getByRole('button', { name: `${word}: ${name}`, exact: true });
  await expect(release(live.release)).toBeVisible(WITHIN_A_CYCLE);
  const visitor = await (await browser.newContext({ baseURL: app.root, locale })).newPage();
  const row = visitor.locator('tr[data-codes="BTC SBPRUB"]');
  await visitor.goto(`${root}/rates`);
  await expect(visitor.locator('tr[data-codes="BTC SBERRUB"]')).toBeVisible();
  await expect(row).toHaveCount(0);
  await openRules(name);
  await admin.fill(rule.formula, 'mid(market:BTC/RUB) * (1 - 1%)');
  await save(name);

  const context = await browser.newContext({ baseURL: app.root, locale, viewport: { width: 1400, height: 900 } });
  const operator = new Console(await context.newPage(), locale);
  await operator.enter();
  const drawer = await openDirection(operator, name);
  for (const word of [live.release, live.releaseSure]) {
    await drawer.getByRole('button', { name: `${word}: ${name}`, exact: true }).click();
  }
  await expect(operator.page.getByText(live.released.replace('%{name}', name))).toBeVisible();
  await expect(async () => {
    await visitor.reload();
    await expect(row).toContainText(/1\sBTC = 6[\s,]236[\s,]/, { timeout: 2_000 });
  }).toPass(WITHIN_A_CYCLE);

  // By now the others are priced by their rules as well. The chart has the times in which the pair was suspended.
  expect((await rate('ETH')) / ether).toBeCloseTo(0.97, 2);
  expect(1 - (await rate('BTC')) / bitcoin).toBeGreaterThan(0.017);
  await operator.page.reload();
  const chart = drawer.getByRole('figure');
  await expect(chart.locator('path')).toHaveCount(3);
  await chart.getByText(live.asTable).click();
  await expect(chart.getByRole('cell', { name: live.stopped }).first()).toBeVisible();
  await expect(chart.getByRole('cell', { name: /^\d+([.,]\d+)?\s?%$/ }).first()).toBeVisible();
  await expectAccessible(operator.page);
  await context.close();
  await visitor.context().close();
});
