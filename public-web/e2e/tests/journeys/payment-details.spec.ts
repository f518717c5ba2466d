import { expect, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, localeOfEngine } from '../support/dictionary.ts';
import { expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, OWNER, StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';
import { Visitor } from '../support/visitor.ts';

const ADDRESSES = [
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l',
  '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
];

test.use({ scenario: 'payment details' });

async function openRequisites(admin: Console): Promise<void> {
  const { screens } = admin.texts;
  await admin.page
    .getByRole('navigation', { name: admin.texts.layout.menu })
    .getByRole('link', { name: screens.requisites })
    .click();
  await expect(admin.page.getByRole('heading', { name: screens.requisites, level: 1 })).toBeVisible();
}

async function chooseBitcoin(page: Page, within: ReturnType<Page['getByRole']>, label: string): Promise<void> {
  await within.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: 'BTC', exact: true }).click();
}

test('imported payment details take turns, and visitors hear it when there are none', async ({
  browser,
  page,
  request,
  app,
}) => {
  test.setTimeout(240_000);
  const owner = await StaffApi.signIn(request);
  const currencies: { id: number; code: string }[] = await owner.call('GET', '/currencies');
  const bitcoin = currencies.find(({ code }) => code === 'BTC')?.id;
  for (const { id, currencyId } of await owner.call('GET', '/requisites')) {
    if (currencyId === bitcoin) await owner.call('PATCH', `/requisites/${id}`, { enabled: false });
  }

  const admin = new Console(page, localeOfEngine(), OWNER);
  const { requisites, dashboard, action, things, screens } = admin.texts;
  await page.setViewportSize({ width: 1280, height: 900 });
  await admin.open();
  await admin.signIn();
  await admin.confirmAlways();
  // The dashboard says that nobody can pay, and leads to the payment details.
  const missing = page.getByRole('listitem').filter({ hasText: dashboard.noDetails });
  await expect(missing).toContainText('BTC');
  await missing.getByRole('link', { name: dashboard.look }).click();
  await expect(page.getByRole('heading', { name: screens.requisites, level: 1 })).toBeVisible();

  await admin.press(requisites.import);
  const dialog = page.getByRole('dialog', { name: requisites.importTitle });
  await chooseBitcoin(page, dialog, things.currency);
  const add = dialog.getByRole('button', {
    name: new RegExp(`^(${requisites.import}|${requisites.importAdd.split(' ')[0]})`),
  });
  const lines = dialog.getByLabel(requisites.lines, { exact: true });
  await lines.fill(`${ADDRESSES.join('\n')}\nnonsense`);
  await dialog.getByLabel(requisites.fields.dailyCount, { exact: true }).fill('1');
  await dialog.getByRole('button', { name: requisites.check }).click();
  await expect(dialog).toContainText(requisites.lineNumber.replace('%{line}', '4'));
  await expect(add).toBeDisabled();
  await lines.fill(ADDRESSES.join('\n'));
  await dialog.getByRole('button', { name: requisites.check }).click();
  await expect(dialog).toContainText(requisites.new);
  await expectAccessible(page);
  await add.click();
  await expect(dialog).toBeHidden();
  const row = (address: string) =>
    page.getByRole('row').filter({ has: page.getByRole('button', { name: `${action.edit}: ${address}` }) });
  for (const address of ADDRESSES) await expect(row(address)).toContainText(requisites.available);

  // Three customers get one each.
  const shown: string[] = [];
  const visit = async () => {
    const context = await browser.newContext({
      baseURL: app.root,
      viewport: { width: 360, height: 740 },
      locale: localeOfEngine(),
    });
    return new Visitor(await context.newPage(), localeOfEngine(), `customer-${shown.length}-${Date.now()}@example.com`);
  };
  for (const _ of ADDRESSES) {
    const visitor = await visit();
    await visitor.fillIn();
    await visitor.submit();
    await visitor.confirm(/^(bc1q|1Boat)/);
    const text = await visitor.page.locator('main').innerText();
    const compact = text.replaceAll(/\s/g, '');
    shown.push(ADDRESSES.find((address) => compact.includes(address)) ?? 'none of them');
    await visitor.page.context().close();
  }
  expect([...shown].sort()).toEqual([...ADDRESSES].sort());

  // The next one hears it before typing anything.
  const late = await visit();
  await late.page.goto(`${localeOfEngine() === 'en' ? '/en' : ''}/?cur_from=BTC&cur_to=SBERRUB`);
  const obstacle = dictionary(localeOfEngine(), 'quote').unpayable?.split('}}').at(-1)?.slice(0, 40) ?? '';
  await expect(late.page.getByText(obstacle.trim())).toBeVisible();
  await expect(late.page.locator('button[type=submit]')).toBeDisabled();
  await expectNoOverflow(late.page);
  await expectAccessible(late.page);

  await page.reload();
  for (const address of ADDRESSES) await expect(row(address)).toContainText(requisites.reasons.daily_count);
  await page.getByRole('button', { name: `${requisites.statement}: ${ADDRESSES[0]}` }).click();
  const statement = page.getByRole('complementary', { name: requisites.statementOf.replace('%{code}', 'BTC') });
  await expect(statement.getByRole('link', { name: /^№/ })).toHaveCount(1);
  await expectAccessible(page);
  await expectNoOverflow(page);

  // An operator sees them and changes nothing.
  const other = await browser.newContext({
    baseURL: app.root,
    locale: localeOfEngine(),
    viewport: { width: 1280, height: 900 },
  });
  const operator = new Console(await other.newPage(), localeOfEngine(), OPERATOR);
  await operator.open();
  await operator.signIn();
  await openRequisites(operator);
  await expect(
    operator.page
      .getByText(ADDRESSES[0] ?? '')
      .or(operator.page.getByRole('row').nth(1))
      .first(),
  ).toBeVisible();
  await expect(operator.page.getByRole('button', { name: requisites.import })).toHaveCount(0);
  await other.close();
});
