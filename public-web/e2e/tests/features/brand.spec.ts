import { type Browser, expect, type Page } from '@playwright/test';
import { Console } from '../support/console.ts';
import { locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow, expectUnmoved } from '../support/page.ts';
import { OPERATOR, OWNER, StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

test.use({ scenario: 'brand' });

const ACCENT = 'rgb(15, 118, 110)';

/** A picture of this size, as an owner's designer would send it. */
async function drawn(page: Page, width: number, height: number): Promise<Buffer> {
  await page.setContent(`<div id="a" style="width:${width}px;height:${height}px;background:${ACCENT}"></div>`);
  return page.locator('#a').screenshot();
}

async function asVisitor(
  browser: Browser,
  root: string,
  javaScriptEnabled: boolean,
  visit: (page: Page) => Promise<void>,
) {
  const [{ width, height }] = screens;
  const context = await browser.newContext({ baseURL: root, javaScriptEnabled, viewport: { width, height } });
  await visit(await context.newPage());
  await context.close();
}

for (const { locale, root } of locales) {
  const name = { ru: 'Обмен & Ко', en: 'Change & Co' }[locale];

  test(`an owner makes the site theirs, ${locale}`, async ({ page, browser, app }) => {
    const logo = await drawn(page, 240, 64);
    const card = await drawn(page, 1200, 630);
    const console = new Console(page, locale, OWNER);
    const { brand, screens: menu, action, fields } = console.texts;
    await console.confirmAlways();
    await console.open();
    await console.signIn();
    await page.getByRole('link', { name: menu.brand, exact: true }).click();
    const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
    await field(brand.fields.siteName).fill(name);
    await field(brand.fields.description.replace('%{language}', brand.languages[locale])).fill(`${name}: 24/7`);
    await field(brand.fields.telegram).fill('@obmen_support');
    await field(brand.fields.supportEmail).fill('help@obmen.example');
    const { from, to } = brand.workDay;
    for (const day of Object.values(brand.weekdays)) {
      await page.getByLabel(from.replace('%{day}', day), { exact: true }).fill('00:00');
      await page.getByLabel(to.replace('%{day}', day), { exact: true }).fill('00:00');
    }
    if (locale === 'ru') {
      await page.getByRole('button', { name: brand.linkAdd }).click();
      await field(brand.linkLabel).fill('BestChange');
      await field(fields.address).fill('https://www.bestchange.com/obmen-exchanger.html');
    }

    // Too pale: the figure is shown before, and the refusal says it in words.
    await field(brand.fields.accent).fill('#fde68a');
    await expect(page.getByText(brand.contrast.graphic.replace('%{value}', '1.10'))).toBeVisible();
    await page.getByRole('button', { name: action.save, exact: true }).click();
    await expect(page.getByText({ ru: /Слишком бледно.*1\.10:1/, en: /Too pale.*1\.10:1/ }[locale])).toBeVisible();
    await field(brand.fields.accent).fill('#0f766e');
    await page.getByRole('combobox', { name: new RegExp(`^${brand.fields.typeface}`) }).click();
    await page.getByRole('option', { name: 'Golos Text' }).click();
    await page.getByRole('button', { name: action.save, exact: true }).click();
    await expect(page.getByText(brand.saved)).toBeVisible();

    const upload = (kind: 'logo' | 'card', buffer: Buffer, mimeType = 'image/png', ending = 'png') =>
      page
        .getByLabel(brand.pictures[kind], { exact: true })
        .and(page.locator('input'))
        .setInputFiles({ name: `${kind}.${ending}`, mimeType, buffer });
    await upload('logo', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml', 'svg');
    await expect(page.getByRole('alert').filter({ hasText: 'PNG' })).toBeVisible();
    await upload('logo', logo);
    await expect(page.getByRole('img', { name: brand.pictures.logo })).toBeVisible();
    await upload('card', card);
    await expect(page.getByRole('img', { name: brand.pictures.card })).toBeVisible();
    // The message about the upload fades in and out.
    await expect(() => expectAccessible(page)).toPass();
    await page.setViewportSize(screens[0]);
    await expectNoOverflow(page);

    for (const hasScripts of [false, true]) {
      await asVisitor(browser, app.root, hasScripts, async (visitor) => {
        const errors = consoleErrors(visitor);
        const fonts: string[] = [];
        visitor.on('request', (request) => {
          if (request.resourceType() === 'font') fonts.push(request.url());
        });
        const answer = await visitor.goto(`${root}/`);
        await expect(visitor).toHaveTitle(new RegExp(`\\| ${name}$`));
        const header = visitor.getByRole('banner');
        await expect(header).toContainText(name);
        const mark = header.locator('[data-mark]');
        await expect(mark).toHaveCSS('background-image', /\/brand\/logo\.png\?v=/);
        await expect(mark).toHaveCSS('width', '120px');
        const footer = visitor.getByRole('contentinfo');
        const hours = { ru: 'Работаем круглосуточно', en: 'We work round the clock' }[locale];
        for (const text of ['24/7', 'help@obmen.example', '@obmen_support', 'BestChange', hours]) {
          await expect(footer).toContainText(text);
        }
        const accent = await visitor.evaluate(() =>
          getComputedStyle(document.documentElement).getPropertyValue('--accent'),
        );
        expect(accent).toContain('#0f766e');
        expect(await answer?.text()).toMatch(/<meta property="og:image" content="http[^"]+\/brand\/card\.jpg\?v=/);
        // Only the chosen typeface is loaded.
        await expect(() => expect(fonts.length).toBeGreaterThan(0)).toPass();
        expect(fonts.filter((url) => !url.includes('/assets/golos-text-'))).toEqual([]);
        expect(await visitor.evaluate(() => getComputedStyle(document.body).fontFamily)).toMatch(/^"Golos Text"/);
        if (hasScripts) {
          await expect(visitor.getByRole('button', { name: /\d/ }).last()).toBeVisible();
          // As much as in the default typeface, when the calculator gets its pair.
          await expectUnmoved(visitor, 0.01);
          await expectAccessible(visitor);
          expect(await visitor.locator('meta[name="description"]').count()).toBe(1);
        }
        await expectNoOverflow(visitor);
        expect(errors).toEqual([]);
      });
    }
  });
}

test('no page, file or script text names the software', async ({ page, request }) => {
  const owner = await StaffApi.signIn(request);
  const { revision, brand } = await owner.call('GET', '/brand');
  const own = { siteName: 'Change & Co', supportEmail: 'help@obmen.example' };
  await owner.call('PUT', '/brand', { revision, brand: { ...brand, ...own } });
  const sitemap = await (await request.get('/sitemap.xml')).text();
  const listed = [...sitemap.matchAll(/<loc>https?:\/\/[^/<]+([^<]*)<\/loc>/g)].map(([, path]) => path || '/');
  const files = ['/manifest.webmanifest', '/robots.txt', '/news.xml', '/en/news.xml', '/version.json', '/embed.js'];
  const others = ['/account', '/recover', '/tech', '/claim', '/embed', '/nowhere', ...files];
  const paths = [...listed, ...others.flatMap((path) => (path.includes('.') ? [path] : [path, `/en${path}`]))];
  expect(paths.length).toBeGreaterThan(20);
  for (const path of new Set(paths)) {
    const text = await (await request.get(path)).text();
    // Headers of the partner API keep their names.
    expect(text.replace(/x-agio-/gi, '').match(/.{0,40}agio.{0,40}/i)?.[0], path).toBeUndefined();
  }
  for (const path of ['/', '/en', '/account', '/en/claim', '/en/partners']) {
    await page.goto(path);
    await expect(page.getByRole('banner')).toBeVisible();
    const text = await page.evaluate(() => `${document.title} ${document.body.innerText} ${document.body.textContent}`);
    expect(text.replace(/x-agio-/gi, ''), path).not.toMatch(/agio/i);
  }
});

test('an operator sees the brand and cannot change it', async ({ page }) => {
  const console = new Console(page, 'en', OPERATOR);
  const { brand, screens: menu, action } = console.texts;
  await console.open();
  await console.signIn();
  await page.getByRole('link', { name: menu.brand, exact: true }).click();
  await expect(page.getByRole('textbox', { name: brand.fields.siteName, exact: true })).toBeDisabled();
  await expect(page.getByRole('button', { name: action.save, exact: true })).toHaveCount(0);
});
