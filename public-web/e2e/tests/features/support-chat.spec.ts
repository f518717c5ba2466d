import { expect } from '@playwright/test';
import { dictionary, locales, screens } from '../support/dictionary.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { StaffApi } from '../support/staff-api.ts';
import { test } from '../support/test-app.ts';

/** A provider's page, which tries to read the site it is shown on. */
const WIDGET = `<!doctype html><html lang="en"><title>Chat</title><h1>How can we help?</h1><p id="result"></p><script>
  const reads = (what) => { try { return String(what()); } catch { return 'nothing'; } };
  const results = [reads(() => parent.document.title), reads(() => document.cookie), reads(() => localStorage.length)];
  document.getElementById('result').textContent = 'reads ' + results.join(', ') + ' from ' + origin;
</script></html>`;

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  test.describe(`the support chat, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('opens in an isolated frame, and not beside payment details', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const texts = dictionary(locale, 'chat');
      const requests: string[] = [];
      await page.route('https://chat.example/**', (route) => {
        requests.push(route.request().url());
        return route.fulfill({ contentType: 'text/html', body: WIDGET });
      });
      const opener = page.getByRole('button', { name: texts.title, exact: true });
      const owner = await StaffApi.signIn(request);
      await owner.call('PUT', '/settings', { 'site.chat_url': '' });
      const settled = page.waitForResponse((answer) => answer.url().includes('/calculator/settings/'));
      await page.goto(`${root}/faq`);
      await settled;
      await expect(opener).toHaveCount(0);
      // Without a chat, the contacts are there, on a screen that is wide enough.
      const contacts = page.getByRole('button', { name: texts.contacts, exact: true });
      if (screen.width <= 720) {
        await expect(contacts).toHaveCount(0);
      } else {
        await contacts.press('Enter');
        const panel = page.getByRole('dialog', { name: texts.contacts });
        await expect(panel.getByRole('link', { name: /@/ })).toBeVisible();
        await expectAccessible(page);
        await expectNoOverflow(page);
        await panel.getByRole('link', { name: texts.form }).click();
        await page.waitForURL(`**${root}/contacts`);
        await expect(panel).toHaveCount(0);
        await page.goto(`${root}/faq`);
      }

      await owner.call('PUT', '/settings', { 'site.chat_url': 'https://chat.example/widget?site=7' });
      await page.reload();
      await expect(opener).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(requests).toEqual([]);

      await opener.press('Enter');
      const frame = page.frameLocator('iframe');
      await expect(frame.getByText('reads nothing, nothing, nothing from null')).toBeVisible();
      await expect(page.getByRole('button', { name: texts.close })).toBeFocused();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(opener).toBeFocused();
      expect(requests).toEqual(['https://chat.example/widget?site=7']);

      // An unknown claim will do: only the address matters.
      const claim = `${root}/claim/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10`;
      expect(errors).toEqual([]);
      for (const [isOnClaims, count] of [
        [false, 0],
        [true, 1],
      ] as const) {
        await owner.call('PUT', '/settings', { 'site.chat_on_claims': isOnClaims });
        const loaded = page.waitForResponse((answer) => answer.url().includes('/Chat-'));
        await page.goto(claim);
        await loaded;
        await expect(page.locator('main').getByRole('heading').first()).toBeVisible();
        await expect(opener).toHaveCount(count);
      }
    });

    test('questions are published to search engines as data', async ({ page }) => {
      const errors = consoleErrors(page);
      await page.goto(`${root}/faq`);
      const data = JSON.parse(await page.locator('head > script[type="application/ld+json"]').innerText());
      const questions = page.locator('main details');
      expect(data.mainEntity).toHaveLength(await questions.count());
      const first = questions.first().locator('summary');
      expect(data.mainEntity[0].name).toBe((await first.innerText()).trim());
      // The content security policy does not refuse it.
      expect(errors).toEqual([]);
    });
  });
}
