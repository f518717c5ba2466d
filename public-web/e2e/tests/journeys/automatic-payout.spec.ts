import { expect, test } from '@playwright/test';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { CONFIRMED, SandboxWallet } from '../support/sandbox-wallet.ts';
import { Visitor } from '../support/visitor.ts';

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

    const wallet = new SandboxWallet(await context.newPage(), locale);
    await wallet.page.setViewportSize({ width, height });
    const errors = [page, wallet.page].map(consoleErrors);
    await wallet.fillIn(baseURL ?? '', address ?? '', '0.4');
    await expectAccessible(wallet.page);
    await expectNoOverflow(wallet.page);
    await wallet.send();
    await expect(wallet.confirmations).toHaveText(/^[1-9]/, CONFIRMED);
    await expect(wallet.page.getByText(wallet.texts.confirmations).first()).toBeVisible();
    await expectAccessible(wallet.page);
    await expectNoOverflow(wallet.page);

    await page.bringToFront();
    await page.waitForURL(`**${root}/claim/success?id=*`, CONFIRMED);
    expect(errors.flat()).toEqual([]);
  });
}
