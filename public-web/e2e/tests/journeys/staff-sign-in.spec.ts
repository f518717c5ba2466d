import { expect, test } from '@playwright/test';
import { codeOf } from '../support/customer.ts';
import { locales, screens } from '../support/dictionary.ts';
import { Mailbox } from '../support/mailbox.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { invite, StaffMember } from '../support/staff-member.ts';

/** How long a code is valid. */
const PERIOD_MS = 30_000;

/** Each language on a screen of its own. */
const journeys = locales.map((one, index) => ({ ...one, screen: screens[index % screens.length] ?? screens[0] }));

for (const { locale, screen } of journeys) {
  test.describe(`a new staff member, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height }, locale });

    test('is invited, sets up a second factor, and confirms what moves money', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const member = new StaffMember(page, locale);
      const { welcome, setup, security, signin, code, confirm, requisites, action, layout, fields } = member.texts;
      const expectFit = async () => {
        await expectAccessible(page);
        await expectNoOverflow(page);
      };

      await invite(request, member.email, 'cashier', locale);
      const mailbox = await Mailbox.open(request);
      const link = await mailbox.link(member.email, 'staff_invitation');
      await page.goto(link);
      await expect(member.field(welcome.email)).toHaveValue(member.email);
      expect(new URL(page.url()).hash).toBe('');
      await expectFit();
      await member.field(welcome.name).fill('Vera Lebed');
      await member.field(fields.password).fill('too short');
      await member.press(welcome.submit);
      await expect(member.field(fields.password)).toHaveAttribute('aria-invalid', 'true');
      await member.field(fields.password).fill(member.password);
      await member.press(welcome.submit);
      await expect(member.menu).toBeVisible();

      // The link works once.
      const other = await page.context().newPage();
      await other.goto(link);
      await expect(other.getByRole('heading', { name: welcome.gone })).toBeVisible();
      await other.close();

      await member.choose(layout.security);
      await expect(page.getByRole('heading', { name: layout.security, level: 1 })).toBeVisible();
      await expect(page.getByText(security.current)).toBeVisible();
      await expectFit();
      await member.press(action.setUp);
      await member.field(security.passwordNow, member.dialog(setup.title)).fill(member.password);
      await member.press(security.go);
      await expect(page.getByRole('img', { name: setup.qr })).toBeVisible();
      await expectFit();
      const secret = (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(/\s/g, '');
      await member.field(code.label).fill(codeOf(secret));
      await member.press(setup.turnOn);
      await expect(page.getByRole('heading', { name: setup.codes })).toBeVisible();
      await expectFit();
      const recovery = await page.locator('ol code').first().innerText();
      await member.press(setup.kept);
      await expect(page.getByText(security.onText)).toBeVisible();

      // Signing in requires both factors now.
      await member.choose(layout.signOut);
      await member.field(fields.email).fill(member.email);
      await member.field(fields.password).fill(member.password);
      await member.press(signin.submit);
      await expect(page.getByRole('heading', { name: code.title })).toBeVisible();
      await expectFit();
      await member.field(code.label).fill('000000');
      await member.press(signin.submit);
      await expect(page.getByRole('alert')).toBeVisible();
      await member.press(code.useRecovery);
      await member.field(code.recovery).fill(recovery);
      await member.press(signin.submit);
      await expect(member.menu).toBeVisible();

      // The form keeps its values during the confirmation and is then submitted by itself.
      await page.goto('/admin/requisites');
      await page
        .getByRole('button', { name: new RegExp(`^${action.edit}:`) })
        .first()
        .click();
      const form = member.dialog(requisites.editTitle);
      await member.field(requisites.fields.dailyLimit, form).fill('987654');
      await member.press(action.save, form);
      const confirmation = member.dialog(confirm.title);
      await expect(confirmation).toBeVisible();
      await expectFit();
      await member.press(action.cancel, confirmation);
      await expect(member.field(requisites.fields.dailyLimit, form)).toHaveValue('987654');
      await member.press(action.save, form);
      await member.field(confirm.code, confirmation).fill('000000');
      await member.press(confirm.submit, confirmation);
      await expect(member.field(confirm.code, confirmation)).toHaveAttribute('aria-invalid', 'true');
      await member.field(confirm.code, confirmation).fill(codeOf(secret, Date.now() + PERIOD_MS));
      await member.press(confirm.submit, confirmation);
      await expect(page.getByText(requisites.saved)).toBeVisible();
      await expect(form).toBeHidden();
      // The browser reports every refusal.
      expect(errors.filter((message) => !/status of 4(01|03|04|22)/.test(message))).toEqual([]);
    });
  });
}
