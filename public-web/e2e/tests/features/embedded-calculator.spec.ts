import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Request, test } from '@playwright/test';
import { dictionary, locales } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';

for (const { locale, root } of locales) {
  test(`another site shows the calculator and leads to the exchange with its amounts, ${locale}`, async ({
    page,
    baseURL,
  }) => {
    const errors = consoleErrors(page);
    const [texts, home] = [dictionary(locale, 'embed'), dictionary(locale, 'home')];
    const script = `<script async src="${baseURL}/embed.js" data-from="BTC" data-to="SBERRUB" data-rid="SHOPCODE"
      data-theme="dark" data-lang="${locale}" data-width="420"></script>`;
    // Another origin. A page that only the browser makes up may not load from this machine.
    const shop = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:," /><h1>Shop</h1>${script}`,
      );
    }).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const { port } = shop.address() as AddressInfo;
    const calls: Request[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/')) calls.push(request);
    });
    await page.context().addCookies([{ name: 'agio_refresh', value: 'secret', url: `${baseURL}` }]);
    await page.goto(`http://127.0.0.1:${port}/`);

    const frame = page.frameLocator('iframe');
    const give = frame.getByRole('textbox', { name: texts.give, exact: true });
    const receive = frame.getByRole('textbox', { name: texts.receive, exact: true });
    await expect(give).not.toHaveValue('');
    await expect(frame.getByRole('combobox', { name: texts.give_currency })).toBeEnabled();
    await give.fill('0.02');
    await give.blur();
    const amounts = [await give.inputValue(), await receive.inputValue()] as const;
    expect(amounts[1]).toMatch(/\d{3}/);
    // The frame is as high as its content, and a message from the page itself does not change it.
    const heights = () =>
      page.locator('iframe').evaluate((element: HTMLIFrameElement) => element.getBoundingClientRect().height);
    const content = await frame.locator('html').evaluate((element: HTMLElement) => element.offsetHeight);
    await expect.poll(heights).toBe(content);
    await page.evaluate(() => window.postMessage({ agioHeight: 1900 }, '*'));
    await expect.poll(heights).toBe(content);
    await expectNoOverflow(page);
    const headers = await Promise.all(calls.map((call) => call.allHeaders()));
    expect(headers.length).toBeGreaterThan(3);
    expect(headers.filter(({ cookie }) => cookie !== undefined)).toEqual([]);

    const opened = page.waitForEvent('popup');
    await frame.getByRole('link').click();
    const exchange = await opened;
    expect(exchange.url()).toBe(`${baseURL}${root || '/'}?cur_from=BTC&cur_to=SBERRUB&amount=0.02&rid=SHOPCODE`);
    const side = (key: string) => exchange.getByRole('textbox', { name: new RegExp(`^${home[key]}`) });
    await expect(side('give')).toHaveValue(amounts[0]);
    await expect(side('receive')).toHaveValue(amounts[1]);
    await expect.poll(() => exchange.evaluate(() => localStorage.getItem('agio.rid'))).toContain('SHOPCODE');
    expect(await exchange.evaluate(() => window.opener)).toBeNull();
    expect(errors).toEqual([]);

    await page.goto(`${baseURL}/embed?lang=${locale}`);
    await expect(page.getByRole('textbox', { name: texts.give, exact: true })).not.toHaveValue('');
    await expectAccessible(page);
    shop.close();
  });
}
