import { expect, test } from '@playwright/test';
import { Mailbox } from './mailbox.ts';
import { codeOf, Member } from './member.ts';
import { complaints, expectAccessible, expectNoOverflow } from './page.ts';
import { Visitor } from './visitor.ts';
import { locales, screens } from './words.ts';

/** Each language on a screen of its own. */
const journeys = locales.map((one, index) => ({ ...one, screen: screens[index % screens.length] ?? screens[0] }));

for (const { locale, screen } of journeys) {
  test.describe(`an account, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('is made, confirmed by the letter, and shows the claims made with it', async ({ page, request }) => {
      const found = complaints(page);
      const mailbox = await Mailbox.open(request);
      const member = new Member(page, locale);

      // Who is not signed in is led home, and back after signing in.
      await member.go('/account');
      await member.expectAt('');
      await member.press('sign_up.title');
      await expectAccessible(page);
      await expectNoOverflow(page);
      await member.dialog('sign_up.title').getByRole('textbox', { name: member.words.email }).fill(member.email);
      await member.dialog('sign_up.title').getByRole('textbox', { name: member.words.password }).fill(member.password);
      await member.press('sign_up.submit');
      await expect(member.dialog('sent.title')).toContainText(member.email);
      await expectAccessible(page);

      await page.goto(await mailbox.link(member.email, 'account_activation'));
      const said = {
        ru: ['Уведомление', 'Аккаунт успешно активирован'],
        en: ['Notification', 'Account successfully activated'],
      };
      const [title, message] = said[locale] as [string, string];
      const notice = page.getByRole('dialog', { name: title });
      await expect(notice).toContainText(message);
      expect(new URL(page.url()).hash).toBe('');
      await expectAccessible(page);
      await notice.getByRole('button', { name: 'Ok' }).click();
      await member.signIn();
      await member.expectAt('/account');
      await expect(page.getByRole('heading', { name: member.words['orders.none'] })).toBeVisible();
      await expect(page.getByText(member.words['overview.confirmed'] as string)).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);

      const visitor = new Visitor(page, locale, member.email);
      await visitor.fillIn();
      await visitor.leave();
      const id = await visitor.confirm();
      await member.go('/account/orders');
      const claim = page.locator(`a[href="${member.root}/claim/${id}"]`);
      const line = page.getByRole('listitem').filter({ has: claim });
      await expect(line).toContainText(member.words['status.awaiting_payment'] as string);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await claim.click();
      await visitor.expectState('awaiting_payment');
      expect(found).toEqual([]);
    });

    test('gets another password, which ends the other sessions', async ({ page, request, browser }) => {
      const member = new Member(page, locale);
      await member.makeAccount(await Mailbox.open(request));
      const elsewhere = member.at(await browser.newPage());
      for (const one of [member, elsewhere]) {
        await one.go('/account/settings');
        await one.signIn();
        await one.expectAt('/account/settings');
        await expect(one.page.getByText(member.words['sessions.this'] as string)).toBeVisible();
      }
      await page.reload();
      const [end = ''] = member.words['sessions.end_named']?.split(':') ?? [];
      await expect(page.getByRole('button', { name: end })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);

      await member.field('password.present').fill('not the present one');
      await member.field('password.new').fill('another horse battery staple');
      await member.press('password.change');
      await expect(member.field('password.present')).toHaveAttribute('aria-invalid', 'true');
      await member.field('password.present').fill(member.password);
      await member.press('password.change');
      await expect(page.getByText(member.words['password.changed'] as string)).toBeVisible();
      await expect(page.getByRole('button', { name: end })).toHaveCount(0);

      // The other browser finds its session ended, and comes back to the same page with the new password.
      const { page: other } = elsewhere;
      await other.getByRole('link', { name: member.words.overview, exact: true }).click();
      await expect(other.getByText(member.words['sign_in.lost'] as string)).toBeVisible();
      elsewhere.password = 'another horse battery staple';
      await elsewhere.signIn();
      await elsewhere.expectAt('/account');
      await other.close();
    });

    test('is got back by the letter, and guarded by a code', async ({ page, request }) => {
      const mailbox = await Mailbox.open(request);
      const member = new Member(page, locale);
      await member.makeAccount(mailbox);

      await member.go('/recover');
      await member.field('email').fill(member.email);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await member.press('recover.submit');
      await expect(page.getByText(member.words['sent.hint'] as string)).toBeVisible();
      await page.goto(await mailbox.link(member.email, 'password_restore'));
      member.password = 'a wholly different saddle';
      await member.field('password.new').fill(member.password);
      await expectAccessible(page);
      await member.press('recover.set');
      await page.getByRole('main').getByRole('button', { name: member.words['sign_in.submit'] }).click();
      await member.signIn();
      await member.expectAt('/account');
      await member.go('/recover');
      await member.expectAt('/account');

      await member.go('/account/settings');
      await member.press('code.turn_on');
      await page.getByRole('textbox', { name: member.words['password.present'] }).last().fill(member.password);
      await member.press('go_on');
      await expect(page.getByRole('img', { name: member.words['code.qr'] })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const secret = await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText();
      await member.field('code.first').fill(codeOf(secret.replaceAll(/\s/g, '')));
      await member.press('code.turn_on');
      await expect(page.getByRole('heading', { name: member.words['code.codes_title'] })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const recovery = await page.locator('ol > li').first().innerText();
      await member.press('code.kept');
      await expect(page.getByText(member.words['code.is_on'] as string)).toBeVisible();

      await member.signOut();
      await member.expectAt('');
      await member.openSignIn();
      await member.signIn();
      await expect(member.dialog('sign_in.code_title')).toBeVisible();
      await expectAccessible(page);
      await member.press('code.use_recovery');
      await member.field('code.recovery').fill(recovery);
      await member.dialog('sign_in.code_title').getByRole('button', { name: member.words['sign_in.submit'] }).click();
      await expect(member.menu).toBeVisible();
      await member.signOut();
    });
  });
}

test.describe('a session', () => {
  const [journey] = locales;

  test('lasts though two tabs go on with it at one moment, a hundred times', async ({ page, request, context }) => {
    test.slow();
    const member = new Member(page, journey?.locale ?? 'ru');
    await member.makeAccount(await Mailbox.open(request));
    await member.go('/account');
    await member.signIn();
    await member.expectAt('/account');
    const other = member.at(await context.newPage());
    await other.go('/account');
    const tabs = [member, other];
    for (const { menu } of tabs) await expect(menu).toBeVisible();

    // As a page does when it starts and when its token ends. The answers replace one cookie, in whatever order they come.
    const goesOn = (tab: Member) => tab.page.evaluate(async () => (await fetch('/front-api/auth/refresh/')).status);
    const answered: number[] = [];
    for (let round = 0; round < 100; round += 1) answered.push(...(await Promise.all(tabs.map(goesOn))));
    expect(answered.filter((status) => status !== 200)).toEqual([]);

    for (let round = 0; round < 3; round += 1) {
      await Promise.all(tabs.map(({ page: tab }) => tab.reload()));
      for (const { menu } of tabs) await expect(menu).toBeVisible();
    }
    await member.signOut();
    await other.page.reload();
    await other.expectAt('');
  });
});
