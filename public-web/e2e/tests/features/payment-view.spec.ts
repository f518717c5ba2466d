import { expect, type Locator, type Page, test } from '@playwright/test';
import { dictionary, locales } from '../support/dictionary.ts';
import { consoleErrors, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

/** From the smallest phone in use to a small laptop. */
const sizes = [
  { width: 320, height: 568 },
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
] as const;

/** The most space above a heading at the top of the screen: a wide one shows the header of the page as well. */
const marginAt = (width: number) => (width > 720 ? 224 : 40);

/** The whole heading comes to the top of the screen, and stays there while the rest of the step loads. */
async function expectAtTop(page: Page, heading: Locator): Promise<void> {
  const margin = marginAt(page.viewportSize()?.width ?? 0);
  // Before it comes, a heading of the step the customer returns to may be above the screen as well as below.
  const isAtTop = async () => {
    const top = Math.round((await heading.boundingBox())?.y ?? Number.NaN);
    return top >= 0 && top <= margin ? 'at the top' : `at ${top} px`;
  };
  await expect.poll(isAtTop).toBe('at the top');
  await page.waitForLoadState('networkidle');
  expect(await isAtTop()).toBe('at the top');
  await expect(heading).toBeInViewport({ ratio: 1 });
}

for (const [at, { width, height }] of sizes.entries()) {
  const { locale, root } = locales[at % locales.length] ?? locales[0];
  const texts = dictionary(locale, 'claim');
  const heading = (page: Page, state: string) =>
    page.getByRole('heading', { level: 1, name: texts[`state.${state}.heading`] as string });

  test(`each step scrolls into view, ${locale}, ${width} px`, async ({ page, request }) => {
    await page.setViewportSize({ width, height });
    const errors = consoleErrors(page);
    const visitor = new Visitor(page, locale);
    await visitor.fillIn();
    await visitor.submit();
    await expect(heading(page, 'created')).toBeInViewport({ ratio: 1 });

    const id = await visitor.confirm();
    await expectAtTop(page, heading(page, 'awaiting_payment'));
    if (width > 720) await expect(page.getByRole('banner')).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('timer')).toBeInViewport({ ratio: 1 });
    const places = [
      page.getByText(texts['pay.amount'] as string, { exact: true }),
      page.getByRole('button', { name: texts['pay.paid'] as string }),
      page.getByRole('button', { name: texts['receipt.choose'] as string }),
    ].map(async (part) => (await part.boundingBox())?.y ?? Number.NaN);
    const [howMuch = 0, paid = 0, receipt = 0] = await Promise.all(places);
    const code = (await page.getByRole('img', { name: texts['pay.qr'] as string }).boundingBox())?.y ?? Number.NaN;
    // Where they stand below each other, the code follows the amount; the receipt is an extra at the end.
    if (width < 720) expect(code).toBeGreaterThan(howMuch);
    expect(paid).toBeGreaterThan(Math.max(howMuch, code));
    expect(receipt).toBeGreaterThan(paid);

    await visitor.reportPayment();
    await expectAtTop(page, heading(page, 'payment_claimed'));
    await expectNoOverflow(page);

    // The customer reads the stub below while the claim is updated: the page does not scroll.
    const stub = page.getByRole('complementary', { name: texts['stub.label'] as string });
    await stub.getByRole('button').first().scrollIntoViewIfNeeded();
    const operator = await StaffApi.signIn(request, OPERATOR);
    await operator.act(id, 'payment_seen', { txId: `in-${id}` });
    await operator.act(id, 'amount_mismatch', { amount: '0.01', txId: `in-${id}` });
    await expect(heading(page, 'amount_mismatch')).toBeVisible();
    await expect(stub).toBeInViewport();

    await page.getByRole('button', { name: texts['choice.refund.action'] as string }).click();
    await expectAtTop(page, page.getByRole('heading', { level: 2, name: texts['refund.title'] as string }));
    await page.getByRole('button', { name: texts['refund.back'] as string }).click();
    await expectAtTop(page, heading(page, 'amount_mismatch'));
    expect(errors).toEqual([]);
  });

  test(`a cancelled claim scrolls into view, ${locale}, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const visitor = new Visitor(page, locale);
    await visitor.fillIn();
    await visitor.submit();
    await visitor.confirm();
    await page.getByRole('button', { name: texts['cancel.action'] as string }).click();
    await page.getByRole('button', { name: texts['cancel.yes'] as string }).click();
    await page.waitForURL(`**${root}/claim/fail?id=*`);
    await expectAtTop(page, heading(page, 'cancelled'));
  });
}
