import { expect, test } from '@playwright/test';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

/** The wallet's port minus the site's, see `serve`. */
const WALLET_PORT_OFFSET = 1000;

/** Blocks come every five seconds, and the server polls as often: a claim needs two, and its payout two more. */
const CONFIRMED = { timeout: 45_000 };

const network: Record<string, Record<string, string>> = {
  ru: { amount: 'Сумма', send: 'Отправить', confirmations: 'Подтверждения' },
  en: { amount: 'Amount', send: 'Send', confirmations: 'Confirmations' },
};

// Each language on one screen only, because blocks take time.
for (const [at, { locale, root }] of locales.entries()) {
  const { name, width, height } = screens[at] ?? screens[0];
  test(`a payment on the sandbox network is detected and paid out without staff, ${locale}, ${name}`, async ({
    page,
    context,
    baseURL,
  }) => {
    await page.setViewportSize({ width, height });
    const visitor = new Visitor(page, locale);
    await visitor.fillInEther();
    await visitor.submit();
    await page.getByRole('button', { name: dictionary(locale, 'claim')['review.confirm'] }).click();
    const address = await page
      .getByText(/^sbx1[0-9a-f]{38}$/)
      .first()
      .textContent();

    const wallet = await context.newPage();
    await wallet.setViewportSize({ width, height });
    const errors = [page, wallet].map(consoleErrors);
    const home = new URL(baseURL ?? '');
    home.port = String(Number(home.port) + WALLET_PORT_OFFSET);
    const labels = network[locale] ?? {};
    await wallet.goto(`${home.origin}/?locale=${locale}&address=${address}`);
    await wallet.getByLabel(labels.amount ?? '').fill('0.4');
    await expectAccessible(wallet);
    await expectNoOverflow(wallet);
    await wallet.getByRole('button', { name: labels.send }).click();
    await expect(wallet.locator('#count')).toHaveText(/^[1-9]/, CONFIRMED);
    await expect(wallet.getByText(String(labels.confirmations)).first()).toBeVisible();
    await expectAccessible(wallet);
    await expectNoOverflow(wallet);

    await page.bringToFront();
    await page.waitForURL(`**${root}/claim/success?id=*`, CONFIRMED);
    expect(errors.flat()).toEqual([]);
  });
}
