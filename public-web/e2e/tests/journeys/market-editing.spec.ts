import { expect, type Page } from '@playwright/test';
import { Console, counted } from '../support/console.ts';
import { localeOfEngine } from '../support/dictionary.ts';
import { expectAccessible } from '../support/page.ts';
import { OPERATOR, OWNER } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'market editing', viewport: { width: 1280, height: 900 } });

/** Opens a screen of the console as a staff member. */
async function openScreen(page: Page, screen: 'pairs' | 'currencies' | 'plugins', who = OWNER): Promise<Console> {
  const admin = new Console(page, localeOfEngine(), who);
  await admin.enter();
  const name = admin.texts.screens[screen];
  const link = page.getByRole('link', { name: new RegExp(`^${name}`) });
  await link.first().click();
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
  return admin;
}

/** Chooses two directions and opens the change of both. */
async function chooseTwo(page: Page, { pairs }: Console['texts']): Promise<void> {
  await page.getByRole('button', { name: pairs.select, exact: true }).click();
  for (const name of [/^BTC → SBERRUB/, /^BTC → TCSBRUB/]) await page.getByRole('button', { name }).click();
  await expect(page.getByRole('status').filter({ hasText: counted(pairs.chosen, 2) })).toBeVisible();
}

test('several directions get tiers after a preview, and visitors are quoted by them', async ({ app, page }) => {
  const { texts } = await openScreen(page, 'pairs');
  const { pairs, bulk } = texts;
  await chooseTwo(page, texts);
  await page.getByRole('button', { name: bulk.change, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: counted(bulk.title, 2) });
  await expect(dialog.getByText(bulk.choose)).toBeVisible();
  await dialog.getByLabel(bulk.fields.tiers, { exact: true }).check();
  await dialog.getByRole('button', { name: pairs.addTier }).click();
  await dialog.getByLabel(pairs.tierMin.split(',')[0] ?? '').fill('0.1');
  await dialog.getByLabel(pairs.tierAdd, { exact: true }).fill('0.5');
  const preview = dialog.getByRole('region', { name: bulk.preview });
  await expect(preview.getByText(counted(bulk.changed, 2))).toBeVisible();
  await expect(preview.getByRole('cell', { name: '0.1: 0.5' })).toHaveCount(2);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: counted(bulk.title, 2) }).click();
  await expect(page.getByText(counted(pairs.bulkSaved, 2))).toBeVisible();

  const api = (path: string) => fetch(`${app.root}/api/v1/calculator/${path}`).then((answer) => answer.json());
  const { directions } = await api('');
  const id = (code: string) => directions.find((one: { code: string }) => one.code === code).id;
  const { tiers } = await api(`pair/${id('BTC')}/${id('SBERRUB')}/`);
  expect(tiers.map(({ min }: { min: string }) => min)).toEqual(['0', '0.1']);
  expect(Number(tiers[1].course) / Number(tiers[0].course)).toBeCloseTo(1.005, 3);
});

test('several directions get bounds of the margin after a preview', async ({ page }) => {
  const { texts } = await openScreen(page, 'pairs');
  const { pairs, bulk, live } = texts;
  await chooseTwo(page, texts);
  await page.getByRole('button', { name: bulk.rulesChange, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: counted(bulk.rulesTitle, 2) });
  await dialog.getByLabel(bulk.rules.bounds, { exact: true }).check();
  await dialog.getByLabel(live.rule.floor, { exact: true }).fill('2');
  await dialog.getByLabel(live.rule.ceiling, { exact: true }).fill('1');
  await expect(dialog.getByLabel(live.rule.ceiling, { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel(live.rule.ceiling, { exact: true }).fill('6');
  await expect(dialog.getByText(counted(bulk.changed, 2))).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: counted(bulk.title, 2) }).click();
  await expect(page.getByText(counted(pairs.bulkSaved, 2))).toBeVisible();
});

test('directions go to the archive and come back as they were', async ({ page }) => {
  const { texts } = await openScreen(page, 'pairs');
  const { pairs, bulk, action } = texts;
  await chooseTwo(page, texts);
  await page.getByRole('button', { name: pairs.archive, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: counted(bulk.title, 2) }).click();
  await expect(page.getByText(counted(pairs.bulkSaved, 2))).toBeVisible();
  await expect(page.getByRole('button', { name: /^BTC → SBERRUB/ })).toHaveCount(0);

  await page.getByRole('button', { name: pairs.filters.archived, exact: true }).click();
  await page.getByRole('button', { name: /^BTC → SBERRUB/ }).click();
  const drawer = page.getByRole('region', { name: 'BTC → SBERRUB' });
  await drawer.getByRole('button', { name: pairs.unarchive, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: pairs.unarchive, exact: true }).click();
  await page.getByRole('button', { name: pairs.filters.all, exact: true }).click();
  await page.getByRole('button', { name: /^BTC → SBERRUB/ }).click();
  // It comes back with its terms, switched off.
  await drawer.getByLabel(pairs.isOff, { exact: true }).check();
  await drawer.getByRole('button', { name: action.save, exact: true }).click();
  await expect(page.getByText(pairs.saved)).toBeVisible();
});

test('a currency of one’s own is made from nothing, and offered to visitors', async ({ app, page }) => {
  const { texts } = await openScreen(page, 'currencies');
  const { currencies, newCurrency, inputs, fields } = texts;
  await page.getByRole('button', { name: newCurrency.title, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: newCurrency.own, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: newCurrency.title });
  const fill = (label: string, value: string) => dialog.getByLabel(label, { exact: true }).fill(value);
  await fill(fields.code, 'SHELLS');
  await fill(currencies.ticker, 'SHL');
  await fill(fields.nameRu, 'Ракушки');
  await fill(fields.nameEn, 'Shells');
  await fill(currencies.networkRu, 'Пляж');
  await fill(currencies.networkEn, 'Beach');
  await fill(inputs.labelRu, 'Где на пляже');
  await fill(inputs.labelEn, 'Where on the beach');
  await dialog.getByRole('button', { name: newCurrency.create, exact: true }).click();
  await expect(page.getByText(newCurrency.created.replace('%{code}', 'SHELLS'))).toBeVisible();
  await expectAccessible(page);
  const known = await fetch(`${app.root}/en/api/v1/calculator/`).then((answer) => answer.json());
  expect(known.directions.find(({ code }: { code: string }) => code === 'SHELLS')?.name).toBe('Shells');
});

test('a plugin takes settings, and refuses an address inside the network', async ({ page }) => {
  const { texts } = await openScreen(page, 'plugins');
  const { plugins, action } = texts;
  const row = page.getByRole('row').filter({ hasText: /Webhook|Вебхук/ });
  await row.getByRole('button', { name: new RegExp(`^${action.setUp}`) }).click();
  const dialog = page.getByRole('dialog');
  const address = dialog.getByRole('textbox').first();
  await address.fill('http://127.0.0.1/hook');
  const save = dialog.getByRole('button', { name: action.save, exact: true });
  for (const secret of await dialog.locator('input[type=password]').all()) await secret.fill('a long secret of ours');
  await save.click();
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await address.fill('https://hooks.example.com/agio');
  await save.click();
  await expect(page.getByText(plugins.saved)).toBeVisible();
  await expectAccessible(page);
});

test('an operator may do none of it', async ({ page, request }) => {
  const { texts } = await openScreen(page, 'pairs', OPERATOR);
  await expect(page.getByRole('button', { name: /^BTC → ETH/ })).toBeVisible();
  await expect(page.getByRole('button', { name: texts.pairs.select, exact: true })).toHaveCount(0);
  await page
    .getByRole('link', { name: new RegExp(`^${texts.screens.currencies}`) })
    .first()
    .click();
  await expect(page.getByRole('heading', { name: texts.screens.currencies, level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: texts.newCurrency.title, exact: true })).toHaveCount(0);
  await page
    .getByRole('link', { name: new RegExp(`^${texts.screens.plugins}`) })
    .first()
    .click();
  await expect(page.getByRole('row').filter({ hasText: /Webhook|Вебхук/ })).toBeVisible();
  await expect(page.getByRole('button', { name: new RegExp(`^${texts.action.setUp}`) })).toHaveCount(0);

  const login = await request.post('/api/admin/v1/auth/login', { data: OPERATOR });
  const headers = { authorization: `Bearer ${(await login.json()).accessToken}` };
  const set = { ids: [1], set: { enabled: false } };
  for (const [method, path, data] of [
    ['POST', '/pairs/bulk', set],
    ['POST', '/currencies/1/archive', {}],
    ['PATCH', '/plugins/webhook', { revision: 0 }],
  ] as const) {
    const answer = await request.fetch(`/api/admin/v1${path}`, { method, data, headers });
    expect(answer.status(), `${method} ${path}`).toBe(403);
  }
});
