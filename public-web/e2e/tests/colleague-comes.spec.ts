import { expect, test } from '@playwright/test';
import { Colleague, invite } from './colleague.ts';
import { Mailbox } from './mailbox.ts';
import { codeOf } from './member.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { locales, screens } from './words.ts';

/** How long a code is shown. */
const PERIOD_MS = 30_000;

/** Each language on a screen of its own. */
const journeys = locales.map((one, index) => ({ ...one, screen: screens[index % screens.length] ?? screens[0] }));

for (const { locale, screen } of journeys) {
  test.describe(`a colleague, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height }, locale });

    test('is invited, sets up a second factor, and confirms what moves money', async ({ page, request }) => {
      const found = complaints(page);
      const vera = new Colleague(page, locale);
      const { welcome, setup, security, signin, code, confirm, requisites, action, layout } = vera.words;
      const expectFit = async () => {
        await expectAccessible(page);
        await expectNoOverflow(page);
      };

      await invite(request, vera.email, 'cashier', locale);
      const mailbox = await Mailbox.open(request);
      const link = await mailbox.link(vera.email, 'staff_invitation');
      await page.goto(link);
      await expect(vera.field(welcome.email)).toHaveValue(vera.email);
      expect(new URL(page.url()).hash).toBe('');
      await expectFit();
      await vera.field(welcome.name).fill('Vera Lebed');
      await vera.field(welcome.password).fill('too short');
      await vera.press(welcome.submit);
      await expect(vera.field(welcome.password)).toHaveAttribute('aria-invalid', 'true');
      await vera.field(welcome.password).fill(vera.password);
      await vera.press(welcome.submit);
      await expect(vera.menu).toBeVisible();

      // The link is good once.
      const other = await page.context().newPage();
      await other.goto(link);
      await expect(other.getByRole('heading', { name: welcome.gone })).toBeVisible();
      await other.close();

      await vera.choose(layout.security);
      await expect(page.getByRole('heading', { name: security.title, level: 1 })).toBeVisible();
      await expect(page.getByText(security.current)).toBeVisible();
      await expectFit();
      await vera.press(security.setUp);
      await vera.field(security.passwordNow, vera.dialog(setup.title)).fill(vera.password);
      await vera.press(security.go);
      await expect(page.getByRole('img', { name: setup.qr })).toBeVisible();
      await expectFit();
      const secret = (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(/\s/g, '');
      await vera.field(setup.code).fill(codeOf(secret));
      await vera.press(setup.turnOn);
      await expect(page.getByRole('heading', { name: setup.codes })).toBeVisible();
      await expectFit();
      const recovery = await page.locator('ol code').first().innerText();
      await vera.press(setup.kept);
      await expect(page.getByText(security.onText)).toBeVisible();

      // The password is half of the way in now.
      await vera.choose(layout.signOut);
      await vera.field(signin.email).fill(vera.email);
      await vera.field(signin.password).fill(vera.password);
      await vera.press(signin.submit);
      await expect(page.getByRole('heading', { name: code.title })).toBeVisible();
      await expectFit();
      await vera.field(code.label).fill('000000');
      await vera.press(signin.submit);
      await expect(page.getByRole('alert')).toBeVisible();
      await vera.press(code.useRecovery);
      await vera.field(code.recovery).fill(recovery);
      await vera.press(signin.submit);
      await expect(vera.menu).toBeVisible();

      // What is typed stays while the code is asked for, and goes on by itself.
      await page.goto('/admin/requisites');
      await page
        .getByRole('button', { name: new RegExp(`^${requisites.edit}:`) })
        .first()
        .click();
      const form = vera.dialog(requisites.editTitle);
      await vera.field(requisites.limit, form).fill('987654');
      await vera.press(action.save, form);
      const question = vera.dialog(confirm.title);
      await expect(question).toBeVisible();
      await expectFit();
      await vera.press(action.cancel, question);
      await expect(vera.field(requisites.limit, form)).toHaveValue('987654');
      await vera.press(action.save, form);
      await vera.field(confirm.code, question).fill('000000');
      await vera.press(confirm.submit, question);
      await expect(vera.field(confirm.code, question)).toHaveAttribute('aria-invalid', 'true');
      await vera.field(confirm.code, question).fill(codeOf(secret, Date.now() + PERIOD_MS));
      await vera.press(confirm.submit, question);
      await expect(page.getByText(requisites.saved)).toBeVisible();
      await expect(form).toBeHidden();
      // The browser itself tells of every refusal.
      expect(found.filter((message) => !/status of 4(01|03|04|22)/.test(message))).toEqual([]);
    });
  });
}
