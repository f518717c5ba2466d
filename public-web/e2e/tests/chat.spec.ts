import { expect } from '@playwright/test';
import { test } from './house.ts';
import { Owner } from './owner.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { locales, screens, words } from './words.ts';

/** A provider's page, which looks whether it can see into the site it is shown on. */
const WIDGET = `<!doctype html><html lang="en"><title>Desk</title><h1>How can we help?</h1><p id="sees"></p><script>
  const reads = (what) => { try { return String(what()); } catch { return 'nothing'; } };
  const seen = [reads(() => parent.document.title), reads(() => document.cookie), reads(() => localStorage.length)];
  document.getElementById('sees').textContent = 'sees ' + seen.join(', ') + ' from ' + origin;
</script></html>`;

for (const [index, { locale, root }] of locales.entries()) {
  const screen = screens[index % screens.length] ?? screens[0];
  test.describe(`the support chat, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('opens in a closed frame, and stays away from where to pay', async ({ page, request }) => {
      const found = complaints(page);
      const said = words(locale, 'chat');
      const asked: string[] = [];
      await page.route('https://chat.example/**', (route) => {
        asked.push(route.request().url());
        return route.fulfill({ contentType: 'text/html', body: WIDGET });
      });
      const opener = page.getByRole('button', { name: said.title, exact: true });
      const owner = await Owner.signIn(request);
      await owner.calls('PUT', '/settings', { 'site.chat_url': '' });
      const settled = page.waitForResponse((answer) => answer.url().includes('/calculator/settings/'));
      await page.goto(`${root}/faq`);
      await settled;
      await expect(opener).toHaveCount(0);

      await owner.calls('PUT', '/settings', { 'site.chat_url': 'https://chat.example/widget?site=7' });
      await page.reload();
      await expect(opener).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(asked).toEqual([]);

      await opener.press('Enter');
      const frame = page.frameLocator('iframe');
      await expect(frame.getByText('sees nothing, nothing, nothing from null')).toBeVisible();
      await expect(page.getByRole('button', { name: said.close })).toBeFocused();
      await expectAccessible(page);
      await expectNoOverflow(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(opener).toBeFocused();
      expect(asked).toEqual(['https://chat.example/widget?site=7']);

      // A claim nobody has stands for any: its address is enough.
      const claim = `${root}/claim/6e2d3a52-9d1c-4a8e-8c55-0c2f1a5b7d10`;
      expect(found).toEqual([]);
      for (const [mayBeThere, count] of [
        [false, 0],
        [true, 1],
      ] as const) {
        await owner.calls('PUT', '/settings', { 'site.chat_on_claims': mayBeThere });
        const loaded = page.waitForResponse((answer) => answer.url().includes('/Chat-'));
        await page.goto(claim);
        await loaded;
        await expect(page.locator('main').getByRole('heading').first()).toBeVisible();
        await expect(opener).toHaveCount(count);
      }
    });

    test('questions are told to search engines as data', async ({ page }) => {
      const found = complaints(page);
      await page.goto(`${root}/faq`);
      const data = JSON.parse(await page.locator('head > script[type="application/ld+json"]').innerText());
      const questions = page.locator('main details');
      expect(data.mainEntity).toHaveLength(await questions.count());
      const first = questions.first().locator('summary');
      expect(data.mainEntity[0].name).toBe((await first.innerText()).trim());
      // The rules against scripts in the page have nothing to say of it.
      expect(found).toEqual([]);
    });
  });
}
