import { expect, type Page, test } from '@playwright/test';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

/** Milliseconds after which the page has requested a new quote. */
const A_MINUTE = 61_000;

/** An amount field of the calculator. */
function field(page: Page, texts: Record<string, string>, side: 'give' | 'receive') {
  return page.getByRole('textbox', { name: new RegExp(`^${texts[side]}`) });
}

/** Lowers the rate of the next quotes by a tenth. */
async function dropRate(page: Page): Promise<void> {
  await page.route('**/calculator/pair/**', async (route) => {
    const response = await route.fetch();
    const pair = await response.json();
    const course = (Math.round(Number(pair.course) * 900_000) / 1_000_000).toString();
    await route.fulfill({ response, json: { ...pair, course, tiers: [] } });
  });
}

for (const [at, { locale, root }] of locales.entries()) {
  const { name, width, height } = screens[at] ?? screens[0];
  const home = dictionary(locale, 'home');
  const quote = dictionary(locale, 'quote');

  test.describe(`the calculator, ${locale}, ${name}`, () => {
    test.use({ viewport: { width, height } });

    test('a pasted amount is read, cut with a message, or refused with a message and left unchanged', async ({
      page,
    }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}/?cur_from=BTC&cur_to=SBERRUB`);
      const give = field(page, home, 'give');
      await expect(give).not.toHaveValue('');
      const paste = async (text: string) => {
        await give.fill(text);
        await give.blur();
      };
      await paste('0.123456789123456789 BTC');
      await expect(give).toHaveValue(/^0[.,]12345678$/);
      await expect(page.getByText((quote.amount_cut_other as string).split(':')[0] as string)).toBeVisible();
      for (const narrow of [320, 768, 1024]) {
        await page.setViewportSize({ width: narrow, height });
        await expectNoOverflow(page);
      }
      await page.setViewportSize({ width, height });
      await paste('\u00a00.25\u202f₿'.replace('₿', 'btc'));
      await expect(give).toHaveValue(/^0[.,]25$/);
      await expect(give).not.toHaveAttribute('aria-invalid');

      for (const [text, message] of [
        ['$100', quote.amount_unit],
        ['1 000.5 USDT', quote.amount_unit],
        ['a hundred', quote.amount_unread],
        ['1.2.3', quote.amount_unread],
      ] as const) {
        await paste(text);
        await expect(page.getByText((message as string).replace('{{unit}}', 'BTC'))).toBeVisible();
        await expect(give).toHaveValue(text);
        await expect(give).toHaveAttribute('aria-invalid', 'true');
      }
      await expectAccessible(page);
      await expectNoOverflow(page);
      await paste('999');
      await expect(
        page.getByText((home.snapped_max as string).split(' ')[0] as string, { exact: false }),
      ).toBeVisible();
      // Pressed at once, the button does not submit an amount that was just corrected.
      await give.fill('0.0001');
      await page.getByRole('button', { name: new RegExp(`^${home.exchange}`) }).click();
      await expect(page.getByText(home.snapped_look as string)).toBeInViewport();
      await expect(give).toHaveValue(/^0[.,]0005$/);
      expect(errors).toEqual([]);
    });

    test('a changed rate is announced before the claim is created, and the typed side stays', async ({ page }) => {
      const errors = consoleErrors(page);
      await page.clock.install();
      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      const receive = field(page, home, 'receive');
      const first = await receive.inputValue();
      const given = await field(page, home, 'give').inputValue();

      await dropRate(page);
      await page.clock.runFor(A_MINUTE);
      const announced = page
        .getByRole('status')
        .filter({ hasText: (quote.changed_give as string).split('.')[0] as string });
      await expect(announced).toContainText(given);
      await expect(announced).toBeInViewport();
      // The typed received amount stays, and more has to be given for it.
      const [was, is] = [first, await receive.inputValue()].map((text) => text.replace(/[.,]\d\d$/, ''));
      expect(is).toBe(was);
      await expect(field(page, home, 'give')).not.toHaveValue(given);
      await expectNoOverflow(page);

      // The server does not know the lower rate: it refuses, and both the present and the former amounts are shown.
      const button = page.getByRole('button', { name: new RegExp(`^${home.exchange} `) });
      await page.clock.runFor(2000);
      await button.click();
      await expect(page.getByRole('button', { name: home.rate_accept })).toBeVisible();
      await expect(page.getByText(home.rate_changed as string, { exact: true })).toBeInViewport();
      expect(errors.filter((message) => !/status of 409/.test(message))).toEqual([]);
    });

    test('outdated amounts are not submitted: the present ones are shown first', async ({ page }) => {
      const visitor = new Visitor(page, locale);
      await dropRate(page);
      await visitor.fillIn(90_000, /^0[.,]015\d*$/);
      const given = await field(page, home, 'give').inputValue();
      await page.unroute('**/calculator/pair/**');
      const button = page.getByRole('button', { name: new RegExp(`^${home.exchange} `) });
      await button.click();
      // The typed side stays: for the same roubles less has to be given.
      await expect(field(page, home, 'give')).toHaveValue(/^0[.,]014\d*$/);
      const announced = page
        .getByRole('status')
        .filter({ hasText: (quote.changed_give as string).split('.')[0] as string });
      await expect(announced).toContainText(given);
      await expect(announced).toBeInViewport();
      await expect(page).toHaveURL(/cur_from=BTC/);
      await expect(async () => {
        await button.click();
        await page.waitForURL(`**${root}/claim`, { timeout: 2000 });
      }).toPass();
    });

    test('a floating direction is named before the button, without a countdown', async ({ page }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}/?cur_from=XMR&cur_to=SBERRUB`);
      const terms = page
        .getByRole('form')
        .getByRole('listitem')
        .filter({ hasText: (quote.floating as string).split(':')[0] as string });
      await expect(terms).toBeVisible();
      await expect(terms).not.toContainText(/undefined|null|\{\{/);
      const facts = page.getByRole('form').locator('dl');
      await expect(facts).toContainText(home.hold_floating as string);
      await expect(facts.locator('time')).toHaveCount(0);
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(errors).toEqual([]);
    });

    test('the rate is the same number everywhere, to its last digit', async ({ page }) => {
      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      const rate = await page.getByRole('form').locator('dl dd summary').first().innerText();
      expect(rate).toMatch(/^1\sBTC = [\d\s,.]+\s₽$/);
      const row = page.getByRole('row').filter({ has: page.locator('a[href*="cur_from=BTC&cur_to=SBERRUB"]') });
      await expect(row).toContainText(rate);
      const cell = await row.getByText(rate, { exact: true }).boundingBox();
      expect((cell?.x ?? 0) + (cell?.width ?? 0)).toBeLessThanOrEqual(width);
      await visitor.submit();
      const ticket = page.getByRole('article');
      await expect(ticket.getByText(rate, { exact: true })).toHaveCount(2);
    });

    test('each fee has its line, the effective rate matches the amounts, and each note has its number', async ({
      page,
    }) => {
      const errors = consoleErrors(page);
      const serial = page.getByText(/^№\s\w{4}\s\w{4}$/);
      await page.goto(`${root}/?cur_from=BTC&cur_to=SBERRUB`);
      const other = await serial.textContent();
      await page.goto(`${root}/?cur_from=BTC&cur_to=ETH`);
      await expect(serial).not.toHaveText(other as string);
      const give = field(page, home, 'give');
      await expect(give).not.toHaveValue('');
      await give.fill('0.002');
      await give.blur();
      const facts = page.getByRole('form').locator('dl');
      await expect(facts).toContainText(/0[.,]0012.ETH/);
      await expect(facts).toContainText(home.fee_receive as string);
      await expect(facts).not.toContainText(home.fees_inside as string);
      const received = Number((await field(page, home, 'receive').inputValue()).replace(',', '.'));
      const shown = await facts.getByText((home.rate_effective as string).split(' {{')[0] as string).textContent();
      const effective = Number(/=\s([\d.,]+)/.exec(shown ?? '')?.[1]?.replace(',', '.'));
      expect(effective).toBeCloseTo(received / 0.002, 8);
      // The direction in the table of rates that pays out in ether has the same fee.
      const row = page.getByRole('row').filter({ has: page.locator('a[href*="cur_to=ETH"]') });
      await expect(row.first()).toContainText(/0[.,]0012.ETH/);
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(errors).toEqual([]);
    });
  });
}
