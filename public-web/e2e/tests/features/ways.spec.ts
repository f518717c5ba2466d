import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, type Request, test } from '@playwright/test';
import { dictionary, locales } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow, expectUnmoved } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

/** Opened from afar, and opened again at its end, a page stays where it is. */
async function expectStill(page: Page, path: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const far = { offline: false, latency: 100, downloadThroughput: -1, uploadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', far);
  await page.goto(path);
  for (const isAtEnd of [false, true]) {
    if (isAtEnd) {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await page.reload();
    }
    await expect(page.locator('main h1, main h2').first()).toBeAttached();
    await expect(page.locator('.skeleton')).toHaveCount(0);
    await expectUnmoved(page, 0.01);
  }
  await devtools.detach();
}

/** Long enough to paint what has come. */
const BETWEEN_PIECES_MS = 200;

/** Serves the site once more, with its pages in two pieces: the first ends behind what `end` is at the time. */
async function inPieces(site: string, end: () => string): Promise<Server> {
  const proxy = createServer(async ({ url, headers }, response) => {
    const answer = await fetch(site + url);
    const body = Buffer.from(await answer.arrayBuffer());
    const isPage = headers['sec-fetch-dest'] === 'document';
    const first = isPage ? body.indexOf(end()) + end().length : body.length;
    const kept = ['content-type', 'cache-control'].map((name) => [name, answer.headers.get(name) ?? '']);
    response.writeHead(answer.status, Object.fromEntries(kept));
    response.write(body.subarray(0, first));
    setTimeout(() => response.end(body.subarray(first)), isPage ? BETWEEN_PIECES_MS : 0);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

for (const { locale, root } of locales) {
  const common = dictionary(locale, 'common');
  const account = dictionary(locale, 'account');
  const picker = dictionary(locale, 'picker');
  const home = dictionary(locale, 'home');
  const rates = dictionary(locale, 'rates');

  test.describe(`ways through the site, ${locale}, phone`, () => {
    test.use({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });

    test('the menu leads to the sections and finds a claim', async ({ page }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}/rules`);
      const menu = page.getByRole('navigation', { name: common.menu_label as string });
      await expect(menu).toBeHidden();
      const open = page.getByRole('button', { name: common.menu as string });
      await open.tap();
      await expect(menu).toBeInViewport({ ratio: 1 });
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.keyboard.press('Escape');
      await expect(menu).toBeHidden();
      await open.tap();
      await menu.getByRole('link', { name: common.foot_rates as string }).tap();
      await page.waitForURL(`**${root}/rates`);
      await expect(menu).toBeHidden();
      await open.tap();
      await menu.getByRole('button', { name: common.find_claim as string }).tap();
      await expect(page.getByRole('dialog', { name: account['find.title'] as string })).toBeVisible();
      expect(errors).toEqual([]);
    });

    test('a menu that was opened before the script came stays open, and then works', async ({ page }) => {
      let release = () => {};
      const opened = new Promise<void>((resolve) => {
        release = resolve;
      });
      // The page begins with a small script for its theme, without which it would not be shown.
      await page.route('**/assets/index-*.js', async (route) => {
        await opened;
        await route.continue();
      });
      await page.goto(`${root}/rules`, { waitUntil: 'commit' });
      const menu = page.getByRole('navigation', { name: common.menu_label as string });
      await page.getByRole('button', { name: common.menu as string }).tap();
      await expect(menu).toBeVisible();
      release();
      const dialog = page.getByRole('dialog', { name: account['find.title'] as string });
      await expect(async () => {
        await menu.getByRole('button', { name: common.find_claim as string }).tap({ timeout: 1000 });
        await expect(dialog).toBeVisible({ timeout: 1000 });
      }).toPass({ timeout: 10_000 });
      await expect(menu).toBeHidden();
    });

    test('a menu that was opened before the next page came stays open, and then works', async ({ page }) => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/assets/RatesPage-*.js', async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${root}/rules`);
      const menu = page.getByRole('navigation', { name: common.menu_label as string });
      const open = page.getByRole('button', { name: common.menu as string });
      await open.tap();
      await menu.getByRole('link', { name: common.foot_rates as string }).tap();
      await page.waitForURL(`**${root}/rates`);
      await open.tap();
      await expect(menu).toBeVisible();
      release();
      await expect(page.getByRole('heading', { level: 1, name: rates.heading as string })).toBeVisible();
      await menu.getByRole('link', { name: common.foot_faq as string }).tap();
      await page.waitForURL(`**${root}/faq`);
      await expect(menu).toBeHidden();
    });

    test('a page whose HTML arrives in pieces does not move', async ({ page, baseURL }) => {
      let end = '<html';
      const proxy = await inPieces(`${baseURL}`, () => end);
      const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${root}/faq`;
      // The typefaces are kept from here on: they move lines when they come late.
      await page.goto(address, { waitUntil: 'networkidle' });
      for (end of ['<span class="skeleton', 'class="ico"', '<main', '<h2']) {
        await page.goto(address, { waitUntil: 'networkidle' });
        await expectUnmoved(page);
      }
      proxy.closeAllConnections();
      proxy.close();
    });

    test('the home page and a claim need few requests and bytes', async ({ browser, page }) => {
      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      await visitor.submit();
      const id = await visitor.confirm();
      for (const [path, mostRequests, mostBytes] of [
        [root || '/', 15, 170_000],
        [`${root}/claim/${id}`, 26, 205_000],
      ] as const) {
        // With nothing in its cache.
        const context = await browser.newContext();
        const opened = await context.newPage();
        const requests: Request[] = [];
        opened.on('request', (request) => requests.push(request));
        await opened.goto(path);
        await expect(opened.locator('.skeleton')).toHaveCount(0);
        await opened.waitForLoadState('networkidle');
        const names = requests.map((request) => `${request.method()} ${new URL(request.url()).pathname}`);
        // A claim that has changed a moment ago is asked for again.
        const twice = names.filter((name, at) => names.indexOf(name) < at && !name.endsWith('/form/'));
        expect(twice).toEqual([]);
        expect(names.length, names.join('\n')).toBeLessThanOrEqual(mostRequests);
        // The stream of a claim's changes does not end.
        const ended = requests.filter((request) => request.resourceType() !== 'eventsource');
        const sizes = await Promise.all(ended.map((request) => request.sizes()));
        const bytes = sizes.reduce((sum, size) => sum + size.responseHeadersSize + size.responseBodySize, 0);
        expect(bytes, path).toBeLessThanOrEqual(mostBytes);
        await context.close();
      }
    });

    test('every open claim stands on every page with its deadline, the most urgent first', async ({ page }) => {
      const visitor = new Visitor(page, locale);
      const ids: string[] = [];
      for (let at = 0; at < 2; at++) {
        await visitor.fillIn();
        await visitor.submit();
        ids.push(await visitor.confirm());
      }
      const bar = page.getByRole('navigation', { name: account['open_claims.label'] as string });
      // Its own page shows the other one only.
      await page.goto(`${root}/claim/${ids[1]}`);
      await expect(bar.getByRole('link')).toHaveCount(1);
      await expect(bar.getByRole('link')).toHaveAttribute('href', `${root}/claim/${ids[0]}`);
      await expect(page.getByText('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2').first()).toBeVisible();
      // The place of the others was there before them: nothing moved.
      await expectUnmoved(page);
      await page.goto(`${root}/faq`);
      await expect(bar.getByRole('link')).toHaveCount(2);
      await expect(bar.getByRole('link').first()).toHaveAttribute('href', `${root}/claim/${ids[0]}`);
      await expect(bar.getByRole('link').first()).toContainText(account['status.awaiting_payment'] as string);
      await expect(bar.locator('time').first()).toHaveText(/^\d\d:\d\d$/);
      await expectUnmoved(page);
      // On the smallest phone the first is whole, and the second is seen to be there.
      await page.setViewportSize({ width: 320, height: 568 });
      await expect(bar.getByRole('link').first()).toBeInViewport({ ratio: 1 });
      await expect(bar.getByRole('link').last()).toBeInViewport({ ratio: 0.1 });
      const cut = (node: Element) =>
        [...node.children].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      expect(await bar.getByRole('link').first().evaluate(cut)).toBe(false);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectAccessible(page);
      await expectNoOverflow(page);
      for (const path of ['/', '/exchange/btc-to-sberrub/', '/rates', '/contest', '/contacts', `/claim/${ids[0]}`]) {
        await expectStill(page, root + path);
      }
      await expectStill(page, `${root}/faq#late-payment`);
      await page.goto(root || '/');
      await expect(bar.getByRole('link')).toHaveCount(2);
      // The currencies' names come with the script.
      await expectUnmoved(page, 0.01);
      await bar.getByRole('link').first().tap();
      await page.waitForURL(`**${root}/claim/${ids[0]}`);
    });
  });

  test.describe(`the list of currencies, ${locale}, laptop`, () => {
    test.use({ viewport: { width: 1366, height: 657 } });

    test('stays on the screen, names networks, and finds by aliases, layouts and typos', async ({ page }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}/?cur_from=BTC&cur_to=SBERRUB`);
      const button = page.getByRole('button', { name: new RegExp(`^${home.give}:`) });
      await button.click();
      const list = page.getByRole('dialog', { name: home.give as string });
      await expect(list).toBeInViewport({ ratio: 1 });
      const search = list.getByRole('combobox');
      const options = list.getByRole('option');
      for (const [typed, first] of [
        ['юсдт', /Tether.*TRC20.*USDT/],
        ['usdc', /USD Coin.*ERC20/],
        ['тинькофф', locale === 'ru' ? /Т-Банк/ : /T-Bank/],
        ['c,th', locale === 'ru' ? /Сбербанк/ : /Sberbank/],
        ['bitcon', locale === 'ru' ? /Биткоин/ : /Bitcoin/],
      ] as const) {
        await search.fill(typed);
        await expect(options.first()).toHaveText(first);
      }
      // An asterisk marks a favourite, which then comes first.
      await search.fill('xmr');
      await search.press('*');
      await search.fill('');
      await expect(options.first()).toContainText('XMR');
      await expect(list.getByText(picker.group_favourite as string)).toBeVisible();
      await expectAccessible(page);
      await search.fill('ltc');
      await search.press('Enter');
      await button.click();
      await expect(list.getByText(picker.group_recent as string)).toBeVisible();
      expect(errors).toEqual([]);
    });
  });
}
