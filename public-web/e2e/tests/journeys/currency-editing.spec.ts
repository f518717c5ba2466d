import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { counted } from '../support/console.ts';
import { dictionary, localeOfEngine, locales } from '../support/dictionary.ts';
import { openAsEditor } from '../support/editor.ts';
import { expectAccessible } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'market set-up', viewport: { width: 1280, height: 900 } });

const ADDRESS = 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1';
const EXPLORER = 'https://explorer.example/tx/';
const TRANSACTION = 'ab'.repeat(32);

test('an editor changes, duplicates and archives a currency, and visitors find it as it is', async ({
  app,
  browser,
  page,
  request,
}) => {
  const locale = localeOfEngine();
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  const [home, claim] = [dictionary(locale, 'home'), dictionary(locale, 'claim')];
  const words = { ru: ['Четыре цифры из договора', 'Лайт'], en: ['Four digits of the contract', 'Lite'] } as const;
  const [hint, name] = words[locale];
  const admin = await openAsEditor(page, request, locale);
  const { currencies, newCurrency, inputs, action, fields } = admin.texts;
  const open = async (code: string) => {
    await page.goto('/admin/currencies');
    await page.getByRole('button', { name: `${action.edit}: ${code}`, exact: true }).click();
    await expect(admin.dialog).toBeVisible();
  };
  const saved = (text: string, code: string) => expect(page.getByText(text.replace('%{code}', code))).toBeVisible();

  await open('LTC');
  await admin.fill({ ru: fields.nameRu, en: fields.nameEn }[locale], name);
  await admin.fill(currencies.explorer, `${EXPLORER}{tx}`);
  const upload = admin.dialog.getByLabel(currencies.iconUpload, { exact: true });
  const icon = (mimeType: string, buffer: Buffer) => upload.setInputFiles({ name: 'icon', mimeType, buffer });
  await icon('image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  await expect(admin.dialog.getByRole('alert')).toContainText('PNG');
  await icon('image/png', await page.locator('header').first().screenshot());
  await expect(admin.dialog.getByLabel(currencies.icon, { exact: true })).not.toHaveValue('ltc');
  await admin.press(inputs.add);
  const field = admin.dialog.getByRole('group', { name: inputs.number.replace('%{number}', '3'), exact: true });
  const fill = (label: string, value: string) => field.getByLabel(label, { exact: true }).fill(value);
  await fill(inputs.labelRu, 'Номер договора');
  await fill(inputs.labelEn, 'Contract number');
  await fill(inputs.hintRu, 'Четыре цифры из договора');
  await fill(inputs.hintEn, 'Four digits of the contract');
  await fill(inputs.pattern, '\\d{4');
  await admin.press(action.save);
  await expect(field.getByLabel(inputs.pattern, { exact: true })).toHaveAttribute('aria-invalid', 'true');
  await fill(inputs.pattern, '\\d{4}');
  await admin.press(action.save);
  await saved(currencies.saved, 'LTC');

  const visitor = await (await browser.newContext({ baseURL: app.root, locale })).newPage();
  await visitor.goto(`${root}/?cur_from=SBERRUB&cur_to=LTC`);
  const give = visitor.getByRole('textbox', { name: new RegExp(`^${home.give}`) });
  await expect(give).not.toHaveValue('');
  await give.fill('50000');
  await give.blur();
  const receives = visitor.getByRole('button', { name: new RegExp(`^${home.receive}:`) });
  await expect(receives).toContainText(name);
  await expect(receives.locator('image')).toHaveAttribute('href', /^\/brand\/upload-.+\.png$/);
  await visitor.locator('[name="toRequisites.address"]').fill(ADDRESS);
  const contract = visitor.locator('[name="toRequisites.details"]');
  await expect(visitor.getByText(hint)).toBeVisible();
  await contract.fill('12');
  await visitor.locator('[name="fromRequisites.holder"]').fill('IVAN IVANOV');
  await visitor.getByRole('textbox', { name: home.email }).fill(`currency-${Date.now()}@example.com`);
  for (const consent of await visitor.getByRole('checkbox').all()) await consent.check();
  const exchange = visitor.getByRole('button', { name: new RegExp(`^${home.exchange} `) });
  await exchange.click();
  await expect(contract).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(visitor);
  await contract.fill('1234');
  await exchange.click();
  await visitor.waitForURL(`**${root}/claim`);
  const [created] = await Promise.all([
    visitor.waitForResponse((response) => response.url().includes('/confirm/')),
    visitor.getByRole('button', { name: claim['review.confirm'] }).click(),
  ]);
  const id = new URL(created.url()).pathname.split('/').at(-3) as string;
  await visitor.getByRole('button', { name: claim['pay.paid'] }).click();
  const operator = await StaffApi.signIn(request, OPERATOR);
  await operator.act(id, 'payment_received', { txId: `in-${id}` });
  await operator.act(id, 'take');
  await operator.act(id, 'payout_sent', { txId: TRANSACTION });
  const link = visitor.getByRole('link', { name: claim['confirmations.explorer'] });
  await expect(link).toHaveAttribute('href', EXPLORER + TRANSACTION);

  await open('LTC');
  await admin.press(currencies.duplicate);
  await expect(admin.dialog.getByLabel(fields.code, { exact: true })).toHaveValue('');
  await admin.fill(fields.code, 'LTCMWEB');
  await admin.press(newCurrency.create);
  await saved(newCurrency.created, 'LTCMWEB');
  const offered = async () => {
    const { directions } = await (await request.get(`${root}/api/v1/calculator/`)).json();
    return directions
      .filter(({ name: one }: { name: string }) => one === name)
      .map(({ code }: { code: string }) => code);
  };
  expect(await offered()).toEqual(['LTC', 'LTCMWEB']);

  // The archive takes it from the offer; the claim keeps it.
  await open('LTC');
  await admin.press(currencies.archive);
  await admin.press(currencies.archive);
  await saved(currencies.archiveDone, 'LTC');
  expect(await offered()).toEqual(['LTCMWEB']);
  expect((await request.get(`${root}/exchange/sberrub-to-ltc/`)).status()).toBe(404);
  await visitor.reload();
  await expect(link).toBeVisible();
  await expect(visitor.getByText(name).first()).toBeVisible();
  await page.goto(`/admin/claims/${id}`);
  await expect(admin.panel).toContainText('LTC');
  await page.goto('/admin/currencies');
  await page.getByRole('button', { name: counted(currencies.showArchived, 1) }).click();
  await page.getByRole('button', { name: `${action.edit}: LTC`, exact: true }).click();
  await admin.press(currencies.unarchive);
  await admin.press(currencies.unarchive);
  await saved(currencies.unarchiveDone, 'LTC');
  expect((await request.get(`${root}/exchange/sberrub-to-ltc/`)).status()).toBe(200);
  await visitor.context().close();
});

test('a table of currencies is reported by its lines, then applied and seen by visitors', async ({ page, request }) => {
  const locale = localeOfEngine();
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  const admin = await openAsEditor(page, request, locale);
  const { marketTable } = admin.texts;
  await page.goto('/admin/currencies');
  await page.getByRole('button', { name: marketTable.open, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: marketTable.currencies });
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: marketTable.download.replace('%{format}', 'CSV') }).click();
  const table = await readFile(await (await download).path(), 'utf8');
  const upload = (text: string) =>
    dialog
      .getByLabel(marketTable.choose)
      .last()
      .setInputFiles({ name: 'currencies.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const [head = '', bitcoin = '', ether = ''] = table.replace(/^\ufeff/, '').split('\r\n');
  const row = (cells: string[]) => dialog.getByRole('row').filter({ hasText: new RegExp(cells.join('.*')) });
  const [before, after] = { ru: ['Эфириум', 'Эфир'], en: ['Ethereum', 'Ether'] }[locale] as [string, string];

  // Both wrong lines are named, by their numbers in the file, and nothing is stored.
  await upload([head, bitcoin.replace('crypto', 'gold'), ether.replace('crypto', 'gas')].join('\r\n'));
  for (const line of ['2', '3']) await expect(row([line, 'kind'])).toBeVisible();
  const apply = dialog.getByRole('button', { name: counted(marketTable.apply, 1) });
  await expect(apply).toHaveCount(0);
  await upload([head, bitcoin, ether.replace(before, after)].join('\r\n'));
  await expect(row(['3', 'ETH', `name.${locale}`, before, after])).toBeVisible();
  await expectAccessible(page);
  await apply.click();
  await expect(page.getByText(counted(marketTable.applied, 1))).toBeVisible();
  await page.goto(`${root}/?cur_from=ETH&cur_to=SBERRUB`);
  const gives = page.getByRole('button', { name: new RegExp(`^${dictionary(locale, 'home').give}:`) });
  await expect(gives).toContainText(after);
  await expect(gives).not.toContainText(before);
});
