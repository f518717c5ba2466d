import { type Browser, expect, type Page, type Route, test } from '@playwright/test';
import { dictionary } from '../support/dictionary.ts';
import { expectAtTop } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

const common = dictionary('ru', 'common');
const home = dictionary('ru', 'home');
const claim = dictionary('ru', 'claim');

/** Of another network each: many claims of one are slowed down. */
let visitors = 0;

async function openPhone(browser: Browser): Promise<Page> {
  visitors += 1;
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
    extraHTTPHeaders: { 'X-Forwarded-For': `198.18.${visitors % 250}.7` },
  });
  return context.newPage();
}

/** Calls of one kind are one request of the journey. */
const kindOf = (method: string, url: string) => {
  const { pathname } = new URL(url);
  return `${method} ${pathname.replaceAll(/[0-9a-f-]{36}/g, '{id}').replaceAll(/\/\d+(?=\/)/g, '/{n}')}`;
};

/** How the claim is styled. */
const lookOf = (page: Page) =>
  page
    .getByRole('article')
    .locator('> *')
    .first()
    .evaluate((face) => {
      const { backgroundColor, borderRadius, padding } = getComputedStyle(face);
      return { backgroundColor, borderRadius, padding };
    });

/** From the landing to the reported payment, each step taken once: whatever is lost, the page asks for again. */
async function exchange(page: Page): Promise<void> {
  const visitor = new Visitor(page, 'ru');
  await visitor.fillIn();
  await visitor.submit();
  await visitor.expectState('created');
  await visitor.confirm();
  await visitor.reportPayment();
  await expect(page.getByText(common.error_page as string)).toHaveCount(0);
}

for (const [how, lose] of [
  ['by the network', (route: Route) => route.abort('connectionreset')],
  ['with 503', (route: Route) => route.fulfill({ status: 503, body: 'unavailable' })],
  ['with 429', (route: Route) => route.fulfill({ status: 429, body: 'slow down' })],
  ['with the page of another network', (route: Route) => route.fulfill({ contentType: 'text/html', body: '<html>' })],
] as const) {
  test(`a journey in which each request is lost once, ${how}, goes on by itself`, async ({ browser }) => {
    const page = await openPhone(browser);
    page.setDefaultTimeout(20_000);
    const lost = new Set<string>();
    const repeated = new Set<string>();
    await page.route('**/*', async (route) => {
      const request = route.request();
      const kind = kindOf(request.method(), request.url());
      // Without its document there is no page yet, and without the script that goes ahead nothing is asked for again.
      // Pictures and fonts are not missed.
      const isSpared = ['document', 'image', 'font'].includes(request.resourceType()) || /\/theme-/.test(kind);
      if (isSpared) return route.fallback();
      if (lost.has(kind)) {
        repeated.add(kind);
        return route.fallback();
      }
      lost.add(kind);
      return lose(route);
    });
    await exchange(page);
    expect(lost.size).toBeGreaterThanOrEqual(30);
    expect([...lost].filter((kind) => !repeated.has(kind))).toEqual([]);
    const look = await lookOf(page);
    await page.unroute('**/*');
    await page.reload();
    expect(await lookOf(page)).toEqual(look);
    await page.context().close();
  });
}

test('no connection is said within three seconds and lifted at once, and nothing is lost', async ({ browser }) => {
  const page = await openPhone(browser);
  const visitor = new Visitor(page, 'ru');
  await visitor.fillIn();
  const given = page.getByRole('textbox', { name: new RegExp(`^${home.give}`) });
  const amount = await given.inputValue();
  const notice = page.getByText(common.offline as string);
  await page.context().setOffline(true);
  await expect(notice).toBeVisible({ timeout: 3000 });
  await page.getByRole('button', { name: new RegExp(`^${home.exchange} `) }).click();
  await expect(page.getByText(common.error_network as string)).toBeVisible();
  await page.context().setOffline(false);
  await expect(notice).toBeHidden({ timeout: 3000 });
  await expect(given).toHaveValue(amount);
  await visitor.submit();
  await page.context().close();
});

for (const [what, answer] of [
  ['503', { status: 503, body: 'unavailable' }],
  ['429', { status: 429, body: 'slow down' }],
  ['garbage', { status: 200, contentType: 'application/json', body: '<html>' }],
] as const) {
  test(`a pair that is answered with ${what} stays, with its age`, async ({ browser }) => {
    const page = await openPhone(browser);
    await page.clock.install();
    await page.goto('/?cur_from=BTC&cur_to=SBERRUB');
    const receive = page.getByRole('textbox', { name: new RegExp(`^${home.receive}`) });
    await expect(receive).not.toHaveValue('');
    await receive.fill('90000');
    await page.route('**/calculator/pair/**', (route) => route.fulfill(answer));
    await page.clock.runFor(61_000);
    await expect(page.getByText(/^Курс на \d\d:\d\d/)).toBeVisible();
    await expect(receive).toHaveValue('90000');
    await page.unroute('**/calculator/pair/**');
    await page.clock.runFor(30_000);
    await expect(page.getByText(/^Курс на \d\d:\d\d/)).toBeHidden();
    await page.context().close();
  });
}

test('a slow phone on a slow network shows each step of the way to the payment details', async ({ browser }, info) => {
  const page = await openPhone(browser);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  // Slow 4G, as Lighthouse has it.
  const throughput = (1.6 * 1024 * 1024) / 8;
  const conditions = { offline: false, latency: 150, downloadThroughput: throughput, uploadThroughput: throughput / 2 };
  await session.send('Network.emulateNetworkConditions', conditions);
  const started = Date.now();
  const note = (step: string) =>
    info.annotations.push({ type: step, description: `${((Date.now() - started) / 1000).toFixed(1)} s` });
  const visitor = new Visitor(page, 'ru');
  await visitor.fillIn();
  note('the form is filled in');
  const heading = (state: string) =>
    page.getByRole('heading', { level: 1, name: claim[`state.${state}.heading`] as string });
  await visitor.submit();
  await expectAtTop(heading('created'));
  note('the claim is shown');
  await visitor.confirm();
  await expectAtTop(heading('awaiting_payment'));
  note('the payment details are shown');
  await page.context().close();
});

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow', viewport: { width: 360, height: 740 } });

  test('a claim seen before is readable without a connection, and other pages say that there is none', async ({
    page,
    context,
  }) => {
    const visitor = new Visitor(page, 'ru');
    await visitor.fillIn();
    await visitor.submit();
    const id = await visitor.confirm();
    await page.goto(`/claim/${id}`);
    await page.evaluate(() => navigator.serviceWorker.ready);
    // Once more, with the worker in between.
    await page.reload();
    await expect(page.getByText('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2').first()).toBeVisible();
    await context.setOffline(true);
    await page.reload();
    await expect(page.getByText('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2').first()).toBeVisible();
    await expect(page.getByText(common.offline as string)).toBeVisible();
    await page.goto('/faq');
    await expect(page.getByRole('heading', { level: 1, name: common.offline_page as string })).toBeVisible();
    await page.getByRole('link', { name: common.my_claim as string }).click();
    await expect(page.getByText('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2').first()).toBeVisible();
    await page.goto('/faq');
    await expect(page.getByRole('heading', { level: 1, name: common.offline_page as string })).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole('heading', { level: 1, name: common.offline_page as string })).toBeHidden();
    await expect(page.locator('details').first()).toBeVisible();
  });
});
