import { expect, test } from '@playwright/test';
import { Customer, codeOf } from '../support/customer.ts';
import { locales, screens } from '../support/dictionary.ts';
import { Mailbox } from '../support/mailbox.ts';
import { consoleErrors, expectAccessible, expectNoOverflow } from '../support/page.ts';
import { Visitor } from '../support/visitor.ts';

/** Each language on another screen. */
const journeys = locales.map((one, index) => ({ ...one, screen: screens[index % screens.length] ?? screens[0] }));

for (const { locale, screen } of journeys) {
  test.describe(`an account, ${locale}, ${screen.name}`, () => {
    test.use({ viewport: { width: screen.width, height: screen.height } });

    test('is created, confirmed by email, and lists its claims', async ({ page, request }) => {
      const errors = consoleErrors(page);
      const mailbox = await Mailbox.open(request);
      const customer = new Customer(page, locale);

      // A guest is redirected to the home page, and back after signing in.
      await customer.go('/account');
      await customer.expectAt('');
      await customer.press('sign_up.title');
      await expectAccessible(page);
      await expectNoOverflow(page);
      await customer.dialog('sign_up.title').getByRole('textbox', { name: customer.texts.email }).fill(customer.email);
      await customer
        .dialog('sign_up.title')
        .getByRole('textbox', { name: customer.texts.password })
        .fill(customer.password);
      await customer.press('sign_up.submit');
      await expect(customer.dialog('sent.title')).toContainText(customer.email);
      await expectAccessible(page);

      await page.goto(await mailbox.link(customer.email, 'account_activation'));
      await expect(customer.dialog('sign_in.title')).toContainText(customer.texts['sign_in.to_confirm'] as string);
      await expectAccessible(page);
      await customer.signIn();
      const texts = {
        ru: ['Уведомление', 'Аккаунт успешно активирован'],
        en: ['Notification', 'Account successfully activated'],
      };
      const [title, message] = texts[locale] as [string, string];
      const notice = page.getByRole('dialog', { name: title });
      await expect(notice).toContainText(message);
      expect(new URL(page.url()).hash).toBe('');
      await expectAccessible(page);
      await notice.getByRole('button', { name: 'Ok' }).click();
      await customer.expectAt('/account');
      await expect(notice).toHaveCount(0);
      await expect(page.getByRole('heading', { name: customer.texts['orders.none'] })).toBeVisible();
      await expect(page.getByText(customer.texts['overview.confirmed'] as string)).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);

      const visitor = new Visitor(page, locale, customer.email);
      await visitor.fillIn();
      await visitor.submit();
      const id = await visitor.confirm();
      await customer.go('/account/orders');
      const claim = page.locator(`a[href="${customer.root}/claim/${id}"]`);
      const line = page.getByRole('main').getByRole('listitem').filter({ has: claim });
      await expect(line).toContainText(customer.texts['status.awaiting_payment'] as string);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await line.locator(claim).click();
      await visitor.expectState('awaiting_payment');
      expect(errors).toEqual([]);
    });

    test('changes its password, which ends the other sessions', async ({ page, request, browser }) => {
      const customer = new Customer(page, locale);
      await customer.createAccount(await Mailbox.open(request));
      const elsewhere = customer.at(await browser.newPage());
      for (const one of [customer, elsewhere]) {
        await one.go('/account/settings');
        await one.signIn();
        await one.expectAt('/account/settings');
        await expect(one.page.getByText(customer.texts['sessions.this'] as string)).toBeVisible();
      }
      await page.reload();
      const [end = ''] = customer.texts['sessions.end_named']?.split(':') ?? [];
      await expect(page.getByRole('button', { name: end })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);

      await customer.field('password.present').fill('not the present one');
      await customer.field('password.new').fill('another horse battery staple');
      await customer.press('password.change');
      await expect(customer.field('password.present')).toHaveAttribute('aria-invalid', 'true');
      await customer.field('password.present').fill(customer.password);
      await customer.press('password.change');
      await expect(page.getByText(customer.texts['password.changed'] as string)).toBeVisible();
      await expect(page.getByRole('button', { name: end })).toHaveCount(0);

      // The other browser's session has ended; the new password leads back to the same page.
      const { page: other } = elsewhere;
      await other.getByRole('link', { name: customer.texts.overview, exact: true }).click();
      await expect(other.getByText(customer.texts['sign_in.lost'] as string)).toBeVisible();
      elsewhere.password = 'another horse battery staple';
      await elsewhere.signIn();
      await elsewhere.expectAt('/account');
      await other.close();
    });

    test('moves to another address, is taken back, gives its data and is deleted', async ({ page, request }) => {
      const mailbox = await Mailbox.open(request);
      const customer = new Customer(page, locale);
      await customer.createAccount(mailbox);
      await customer.go('/account/settings');
      await customer.signIn();
      await customer.expectAt('/account/settings');
      const password = page.getByRole('textbox', { name: customer.texts['password.present'] });

      const former = customer.email;
      const address = `new-${former}`;
      await customer.press('email_change.change');
      await customer.field('email_change.new').fill(address);
      await password.first().fill(customer.password);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await customer.press('email_change.send');
      await expect(page.getByRole('status').filter({ hasText: /./ })).toBeVisible();
      await page.goto(await mailbox.link(address, 'email_change'));
      await expect(page.getByRole('main').getByText(address, { exact: true })).toBeVisible();
      expect(new URL(page.url()).hash).toBe('#email');
      await expect(page.getByRole('status').filter({ hasText: /./ })).toHaveCount(1);
      await expectAccessible(page);

      await page.goto(await mailbox.link(former, 'email_changed'));
      await expect(page.getByRole('heading', { name: customer.texts['recover.undo_title'] })).toBeVisible();
      customer.password = 'a wholly different saddle';
      await customer.field('password.new').fill(customer.password);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await customer.press('recover.undo');
      await page.getByRole('main').getByRole('button', { name: customer.texts['sign_in.submit'] }).click();
      await customer.signIn();
      await customer.expectAt('/account');

      await customer.go('/account/settings');
      await customer.press('export.start');
      await password.last().fill(customer.password);
      await expectAccessible(page);
      const download = page.waitForEvent('download');
      await customer.press('export.download');
      const file = await (await download).createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of file) chunks.push(chunk as Buffer);
      expect(JSON.parse(Buffer.concat(chunks).toString()).account.email).toBe(former);

      await customer.press('deletion.start');
      await password.last().fill(customer.password);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await customer.press('deletion.delete');
      await customer.expectAt('');
      await expect(page.getByText(customer.texts['deletion.done'] as string)).toBeVisible();
      await customer.go('/account');
      await customer.expectAt('');
    });

    test('is recovered by email, and signs in with a second factor', async ({ page, request }) => {
      const mailbox = await Mailbox.open(request);
      const customer = new Customer(page, locale);
      await customer.createAccount(mailbox);

      await customer.go('/recover');
      await customer.field('email').fill(customer.email);
      await expectAccessible(page);
      await expectNoOverflow(page);
      await customer.press('recover.submit');
      await expect(page.getByText(customer.texts['sent.hint'] as string)).toBeVisible();
      await page.goto(await mailbox.link(customer.email, 'password_restore'));
      customer.password = 'a wholly different saddle';
      await customer.field('password.new').fill(customer.password);
      await expectAccessible(page);
      await customer.press('recover.set');
      await page.getByRole('main').getByRole('button', { name: customer.texts['sign_in.submit'] }).click();
      await customer.signIn();
      await customer.expectAt('/account');
      await customer.go('/recover');
      await customer.expectAt('/account');

      await customer.go('/account/settings');
      await customer.press('code.turn_on');
      await page.getByRole('textbox', { name: customer.texts['password.present'] }).last().fill(customer.password);
      await customer.press('go_on');
      await expect(page.getByRole('img', { name: customer.texts['code.qr'] })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const secret = await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText();
      await customer.field('code.first').fill(codeOf(secret.replaceAll(/\s/g, '')));
      await customer.press('code.turn_on');
      await expect(page.getByRole('heading', { name: customer.texts['code.codes_title'] })).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      const recovery = await page.locator('ol > li').first().innerText();
      await customer.press('code.saved');
      await expect(page.getByText(customer.texts['code.is_on'] as string)).toBeVisible();

      await customer.signOut();
      await customer.expectAt('');
      await customer.openSignIn();
      await customer.signIn();
      await expect(customer.dialog('sign_in.code_title')).toBeVisible();
      await expectAccessible(page);
      await customer.press('code.use_recovery');
      await customer.field('code.recovery').fill(recovery);
      await customer
        .dialog('sign_in.code_title')
        .getByRole('button', { name: customer.texts['sign_in.submit'] })
        .click();
      await expect(customer.menu).toBeVisible();
      await customer.signOut();
    });
  });
}

test.describe('a session', () => {
  const [journey] = locales;

  test('survives a hundred simultaneous refreshes in two tabs', async ({ page, request, context }) => {
    test.slow();
    const customer = new Customer(page, journey?.locale ?? 'ru');
    await customer.createAccount(await Mailbox.open(request));
    await customer.go('/account');
    await customer.signIn();
    await customer.expectAt('/account');
    const other = customer.at(await context.newPage());
    await other.go('/account');
    const tabs = [customer, other];
    for (const { menu } of tabs) await expect(menu).toBeVisible();

    // As a page does when it starts and when its token expires. The answers replace one cookie in any order.
    const refresh = (tab: Customer) => tab.page.evaluate(async () => (await fetch('/front-api/auth/refresh/')).status);
    const statuses: number[] = [];
    for (let round = 0; round < 100; round += 1) statuses.push(...(await Promise.all(tabs.map(refresh))));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);

    for (let round = 0; round < 3; round += 1) {
      await Promise.all(tabs.map(({ page: tab }) => tab.reload()));
      for (const { menu } of tabs) await expect(menu).toBeVisible();
    }
    await customer.signOut();
    await other.page.reload();
    await other.expectAt('');
  });
});
