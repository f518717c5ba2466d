import { expect, test } from '@playwright/test';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import { locales, screens, words } from './words.ts';

/** How far the port of the wallet is from the site's, see `serve`. */
const WALLET = 1000;

/** Blocks come every five seconds, and the house asks for them as often: a claim needs two, and its payout two more. */
const CONFIRMED = { timeout: 45_000 };

const network: Record<string, Record<string, string>> = {
  ru: { amount: 'Сумма', send: 'Отправить', confirmations: 'Подтверждения' },
  en: { amount: 'Amount', send: 'Send', confirmations: 'Confirmations' },
};

// Each language on one screen: what differs is seen on either, and blocks take their time.
for (const [at, { locale, root }] of locales.entries()) {
  const { name, width, height } = screens[at] ?? screens[0];
  test(`a customer pays on the sandbox network and is paid without staff, ${locale}, ${name}`, async ({
    page,
    context,
    baseURL,
  }) => {
    await page.setViewportSize({ width, height });
    const visitor = new Visitor(page, locale);
    await visitor.fillInEther();
    await visitor.leave();
    await page.getByRole('button', { name: words(locale, 'claim')['review.confirm'] }).click();
    const address = await page
      .getByText(/^sbx1[0-9a-f]{38}$/)
      .first()
      .textContent();

    const wallet = await context.newPage();
    await wallet.setViewportSize({ width, height });
    const found = [page, wallet].map(complaints);
    const home = new URL(baseURL ?? '');
    home.port = String(Number(home.port) + WALLET);
    const said = network[locale] ?? {};
    await wallet.goto(`${home.origin}/?locale=${locale}&address=${address}`);
    await wallet.getByLabel(said.amount ?? '').fill('0.4');
    await expectAccessible(wallet);
    await expectNoOverflow(wallet);
    await wallet.getByRole('button', { name: said.send }).click();
    await expect(wallet.locator('#count')).toHaveText(/^[1-9]/, CONFIRMED);
    await expect(wallet.getByText(String(said.confirmations)).first()).toBeVisible();
    await expectAccessible(wallet);
    await expectNoOverflow(wallet);

    await page.bringToFront();
    await page.waitForURL(`**${root}/claim/success?id=*`, CONFIRMED);
    expect(found.flat()).toEqual([]);
  });
}
