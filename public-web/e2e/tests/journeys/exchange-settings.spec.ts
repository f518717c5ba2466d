import { expect } from '@playwright/test';
import { Customer } from '../support/customer.ts';
import { localeOfEngine, locales } from '../support/dictionary.ts';
import { openAsEditor } from '../support/editor.ts';
import { Mailbox } from '../support/mailbox.ts';
import { expectAccessible } from '../support/page.ts';
import { StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'market set-up', viewport: { width: 1280, height: 900 } });

const SHOP = 'https://shop.example';

test('an editor changes base currency, embedding sites, rules, aggregators and languages, and each is in force', async ({
  app,
  browser,
  page,
  request,
}) => {
  const locale = localeOfEngine();
  const root = locales.find((one) => one.locale === locale)?.root ?? '';
  const mailbox = await Mailbox.open(request);
  const owner = await StaffApi.signIn(request);
  const settings: { key: string; title: string }[] = await owner.call('GET', '/settings');
  const admin = await openAsEditor(page, request, locale);
  const { settings: words, discounts, content, aggregators, brand, action, screens, fields } = admin.texts;
  const guest = await browser.newContext({ baseURL: app.root, locale });
  const visitor = await guest.newPage();

  // Settings: amounts are in another currency, and one site only may frame the calculator.
  await page.goto('/admin/settings');
  const titles: Record<string, string> = {
    'rates.base': { ru: 'Базовая валюта', en: 'Base currency' }[locale],
    'site.embed_sites': { ru: 'Сайты, которым можно показывать калькулятор', en: 'Sites that may show the calculator' }[
      locale
    ],
  };
  expect(settings.map(({ key }) => key)).toEqual(expect.arrayContaining(Object.keys(titles)));
  await page.getByLabel(titles['rates.base'] as string, { exact: true }).fill('RUB');
  await page.getByLabel(titles['site.embed_sites'] as string, { exact: true }).fill(SHOP);
  const changes = page.getByRole('complementary', { name: words.changes });
  await expect(changes.getByRole('listitem')).toHaveCount(2);
  await changes.getByRole('button').last().click();
  await expect(page.getByText(words.saved)).toBeVisible();
  await page.getByRole('link', { name: screens.discounts, exact: true }).click();
  await expect(page.getByLabel(discounts.from.replace('%{base}', 'RUB')).first()).toBeVisible();
  const embedded = await request.get('/embed');
  expect(embedded.headers()['content-security-policy']).toContain(`frame-ancestors 'self' ${SHOP}`);
  const customer = new Customer(visitor, locale);
  await customer.createAccount(mailbox);
  await customer.go('/account/referrer');
  await customer.signIn();
  await expect(visitor.getByText(`src="${app.root}/embed.js"`)).toBeVisible();
  await expect(visitor.frameLocator('iframe').getByRole('textbox').first()).not.toHaveValue('');

  // A legal text.
  const sentence = { ru: 'Дополнение к правилам.', en: 'An addition to the rules.' }[locale];
  await page.goto('/admin/pages/rules');
  const text = page.getByLabel(content.text, { exact: true });
  await text.fill(`${await text.inputValue()}\n\n${sentence}`);
  await expect(page.getByRole('region', { name: content.preview })).toContainText(sentence);
  await page.getByRole('button', { name: content.publish, exact: true }).click();
  await admin.fill(content.what, 'An addition');
  await admin.press(action.publish);
  await expect(page.getByText(content.done.replace('%{version}', '2'))).toBeVisible();
  await visitor.goto(`${root}/rules`);
  await expect(visitor.getByText(sentence)).toBeVisible();

  // An aggregator with its own code of a bank and a mark of all directions.
  await page.goto('/admin/aggregators');
  await page.getByRole('button', { name: aggregators.add, exact: true }).click();
  await admin.fill(fields.address, 'price-list');
  await admin.fill(fields.name, 'Price list');
  await admin.fill(aggregators.codes, 'SBERRUB = SBRF');
  await admin.dialog.getByLabel(`juridical: ${aggregators.mark.juridical}`, { exact: true }).check();
  await expectAccessible(page);
  await admin.press(action.save);
  await expect(page.getByText(aggregators.saved)).toBeVisible();
  const feed = async () => (await request.get('/export/price-list/rates.xml')).text();
  await expect.poll(feed).toContain('<to>SBRF</to>');
  expect(await feed()).toMatch(/<param>[^<]*juridical/);
  expect(await (await request.get('/export/rates.xml')).text()).not.toContain('SBRF');

  // With one language the addresses of the other lead to it.
  const only = async (choice: keyof typeof brand.languageChoices) => {
    await page.goto('/admin/brand');
    await page.getByRole('combobox', { name: brand.fields.languages }).click();
    await page.getByRole('option', { name: brand.languageChoices[choice], exact: true }).click();
    await page.getByRole('button', { name: action.save, exact: true }).click();
    await expect(page.getByText(brand.saved)).toBeVisible();
  };
  const other = { ru: '/en', en: '' }[locale];
  await only(locale);
  await visitor.goto(`${other}/rates`);
  expect(new URL(visitor.url()).pathname).toBe(`${root}/rates`);
  await expect(visitor.locator('a[hreflang]:visible')).toHaveCount(0);
  await only('ru en');
  await visitor.goto(`${other}/rates`);
  expect(new URL(visitor.url()).pathname).toBe(`${other}/rates`);
  await guest.close();
});
