import { expect, test } from '@playwright/test';
import { Console } from '../support/console.ts';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow, expectUnmoved } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';

for (const [at, { locale, root }] of locales.entries()) {
  const { name, width, height } = screens[at] ?? screens[0];
  const home = dictionary(locale, 'home');
  const claim = dictionary(locale, 'claim');
  const [moscow, dubai] = { ru: ['Москва', 'Дубай'], en: ['Moscow', 'Dubai'] }[locale];

  test(`cash is collected in a chosen city for a code, ${locale}, ${name}`, async ({ browser, page, request }) => {
    const errors = consoleErrors(page);
    await page.setViewportSize({ width, height });
    const served = await request.get(`${root}/exchange/btc-to-cashusd/dubai/`);
    expect(await served.text()).toContain(dubai);

    // Of the direction, no city is chosen; of the direction in a city, its own.
    await page.goto(`${root}/?cur_from=BTC&cur_to=CASHUSD`);
    const city = page.getByLabel(home.city as string, { exact: true });
    await expect(city).toHaveValue('');
    await city.selectOption('MSK');
    await expect(page.getByText(/Примерная|Primernaya/)).toBeVisible();
    await expect(page).toHaveURL(/city=MSK/);
    await expectNoOverflow(page);
    // The choice arrives with the terms; its place is there before it.
    await page.goto(`${root}/exchange/btc-to-cashrub/msk/`);
    await expect(city).toHaveValue('MSK');
    await expectUnmoved(page, 0.01);
    await page.goto(`${root}/exchange/btc-to-cashusd/dubai/`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(dubai as string);
    await expect(city).toHaveValue('DUBAI');
    await expectNoOverflow(page);
    await expectAccessible(page);

    const give = page.getByRole('textbox', { name: new RegExp(`^${home.give}`) });
    await give.fill('0.05');
    await give.blur();
    await page.locator('[name="toRequisites.phone"]').fill('+7 999 123-45-67');
    await page.getByRole('textbox', { name: home.email }).fill(`cash-${Date.now()}@example.com`);
    for (const consent of await page.getByRole('checkbox').all()) await consent.check();
    await city.selectOption('MSK');
    await page.getByRole('button', { name: new RegExp(`^${home.exchange} `) }).click();
    await page.waitForURL(`**${root}/claim`);
    await expect(page.getByText(moscow as string, { exact: true })).toBeVisible();
    const [confirmed] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/confirm/')),
      page.getByRole('button', { name: claim['review.confirm'] }).click(),
    ]);
    const id = new URL(confirmed.url()).pathname.split('/').at(-3) as string;
    await page.getByRole('button', { name: claim['pay.paid'] }).click();

    const staff = await StaffApi.signIn(request, OPERATOR);
    await staff.act(id, 'payment_received', { txId: `in-${id}` });
    await staff.act(id, 'take');
    const meeting = page.getByRole('region', { name: claim['meeting.place'] });
    const code = meeting.getByText(/^\d{3} \d{3} \d{3}$/);
    await expect(code).toBeVisible();
    await expectNoOverflow(page);
    await expectAccessible(page);

    // The operator has to be told.
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const admin = new Console(await context.newPage(), locale);
    await admin.open();
    await admin.signIn();
    await admin.page.goto(`/admin/claims/${id}`);
    await admin.page.getByRole('button', { name: admin.texts.cash.payout_sent.label }).click();
    const dialog = admin.page.getByRole('dialog');
    const said = dialog.getByLabel(admin.texts.ask.meetingCode);
    await said.fill('000 000 000');
    await dialog.getByRole('button', { name: admin.texts.cash.payout_sent.do }).click();
    await admin.confirm();
    await expect(said).toHaveAttribute('aria-invalid', 'true');
    await said.fill((await code.textContent()) ?? '');
    await dialog.getByRole('button', { name: admin.texts.cash.payout_sent.do }).click();
    await expect(dialog).toBeHidden();
    await expect(code).toBeHidden();
    await context.close();
    expect(errors).toEqual([]);
  });
}
