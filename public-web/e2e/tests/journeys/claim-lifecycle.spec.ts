import { expect, test } from '@playwright/test';
import { locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { OPERATOR, StaffApi } from '../support/staff-api.ts';
import { Visitor } from '../support/visitor.ts';

/** A one-pixel PNG: the smallest receipt there is. */
const RECEIPT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

for (const { locale } of locales) {
  for (const { name, width, height } of screens) {
    test(`a guest exchanges bitcoin for roubles, ${locale}, ${name}`, async ({ page, request }) => {
      await page.setViewportSize({ width, height });
      const errors = consoleErrors(page);

      const visitor = new Visitor(page, locale);
      await visitor.fillIn();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await visitor.submit();
      // The address changes before the page does.
      await expect(page.getByRole('article').getByRole('heading', { level: 1 })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const id = await visitor.confirm();

      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: RECEIPT });
      await expect(page.getByText('receipt.png')).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await visitor.reportPayment();

      const operator = await StaffApi.signIn(request, OPERATOR);
      await operator.act(id, 'payment_received', { txId: `in-${id}` });
      await visitor.expectState('paid');
      await operator.act(id, 'take');
      await operator.act(id, 'payout_sent', { txId: `out-${id}` });
      await visitor.expectState('payout_sent');
      await operator.act(id, 'complete');
      await visitor.expectSuccess(id);
      await expectAccessible(page);
      expect((await operator.claim(id)).status).toBe('completed');
      expect(errors).toEqual([]);
    });
  }
}
