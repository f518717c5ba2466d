import { expect, type Page, test } from '@playwright/test';
import { dictionary } from '../support/dictionary.ts';
import { StaffApi } from '../support/staff-api.ts';
import { TestApp } from '../support/test-app.ts';

test.use({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });

const ru = dictionary('ru', 'home');
const en = dictionary('en', 'home');

const field = (page: Page, name: string) => page.getByRole('textbox', { name: new RegExp(`^${name}`) });

async function fillIn(page: Page): Promise<void> {
  await page.goto('/?cur_from=LTC&cur_to=SBERRUB');
  await expect(field(page, ru.receive as string)).not.toHaveValue('');
  await field(page, ru.give as string).fill('1,25');
  await page.locator('[name="toRequisites.card"]').fill('2200 0000 0000 0004');
  await page.locator('input[type="email"]').fill('anna@example.com');
}

async function expectKept(page: Page, home: Record<string, string>, amount: string): Promise<void> {
  await expect(field(page, home.give as string)).toHaveValue(amount);
  await expect(page.locator('[name="toRequisites.card"]')).toHaveValue('2200 0000 0000 0004');
  await expect(page.locator('input[type="email"]')).toHaveValue('anna@example.com');
}

test('entries survive a reload, another page, another language and the way back', async ({ page }) => {
  const common = dictionary('ru', 'common');
  await fillIn(page);
  await page.reload();
  await expectKept(page, ru, '1,25');

  await page.getByRole('button', { name: common.menu as string }).tap();
  await page
    .locator('#menu')
    .getByRole('link', { name: common.foot_faq as string })
    .tap();
  await page.waitForURL('**/faq');
  await page.getByRole('button', { name: common.menu as string }).tap();
  await page
    .locator('#menu')
    .getByRole('link', { name: common.nav_exchange as string })
    .tap();
  await expectKept(page, ru, '1,25');

  await page.getByRole('button', { name: common.menu as string }).tap();
  await page.locator('#menu').getByRole('link', { name: 'EN' }).tap();
  await page.waitForURL(/\/en\b/);
  await expectKept(page, en, '1.25');
});

test('entries survive technical mode', async ({ page, playwright }) => {
  test.setTimeout(120_000);
  const app = await TestApp.open('sqlite', 18_093);
  try {
    const request = await playwright.request.newContext({ baseURL: app.root });
    await page.goto(`${app.root}/?cur_from=LTC&cur_to=SBERRUB`);
    await expect(field(page, ru.receive as string)).not.toHaveValue('');
    await field(page, ru.give as string).fill('1,25');
    await page.locator('[name="toRequisites.card"]').fill('2200 0000 0000 0004');
    await page.locator('input[type="email"]').fill('anna@example.com');
    const owner = await StaffApi.signIn(request);
    await owner.call('PUT', '/tech', { on: true, time: null });
    await page.waitForURL('**/tech');
    await owner.call('PUT', '/tech', { on: false, time: null });
    // The page asks every ten seconds.
    await page.waitForURL('**/?cur_from=LTC*');
    await expectKept(page, ru, '1,25');
  } finally {
    await app.close();
  }
});
