import { randomUUID } from 'node:crypto';
import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test';
import { en } from '../../../../admin-web/src/i18n/en.ts';
import { ru } from '../../../../admin-web/src/i18n/ru.ts';
import { codeOf } from './customer.ts';
import type { Locale } from './dictionary.ts';
import { Mailbox } from './mailbox.ts';
import { StaffApi } from './staff-api.ts';

/** How long a code is valid. */
const PERIOD_MS = 30_000;

/** Has the demonstration's owner invite somebody to a role. */
export async function invite(request: APIRequestContext, email: string, role: string, language: Locale): Promise<void> {
  const owner = await StaffApi.signIn(request);
  expect(await owner.call('POST', '/invitations', { email, role, language })).toBeTruthy();
}

/** Has somebody join in a role through the API; gives what they sign in with. */
export async function join(request: APIRequestContext, role: string, language: Locale) {
  const email = `${role}-${randomUUID().slice(0, 8)}@agio.example`;
  const password = 'correct horse battery staple';
  await invite(request, email, role, language);
  const link = await (await Mailbox.open(request)).link(email, 'staff_invitation');
  const data = { token: link.split('token=')[1], name: role, password };
  const accepted = await request.post('/api/admin/v1/auth/invitation/accept', { data });
  expect(accepted.ok(), await accepted.text()).toBe(true);
  return { email, password };
}

/** A new staff member at their browser. */
export class StaffMember {
  readonly texts: typeof ru;
  readonly password = 'correct horse battery staple';
  private secret = '';
  /** Each code works once: the first one sets the factor up, the next one confirms. */
  private codes = 0;

  constructor(
    readonly page: Page,
    locale: Locale,
    readonly email = `staff-${randomUUID().slice(0, 8)}@agio.example`,
  ) {
    this.texts = { ru, en }[locale];
  }

  /** A field by its label: code and password fields are not all text boxes. */
  field(label: string, within: Page | Locator = this.page): Locator {
    return within.getByLabel(label, { exact: true });
  }

  async press(button: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByRole('button', { name: button, exact: true }).click();
  }

  dialog(title: string): Locator {
    return this.page.getByRole('dialog', { name: title, exact: true });
  }

  /** The button of the account menu. */
  get menu(): Locator {
    const [label] = this.texts.layout.account.split('%');
    return this.page.getByRole('button', { name: new RegExp(`^${label}`) });
  }

  async choose(item: string): Promise<void> {
    await this.menu.click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }
  private code(): string {
    this.codes += 1;
    return codeOf(this.secret, Date.now() + (this.codes - 1) * PERIOD_MS);
  }

  /** Opens the link of an invitation and begins to work under this name. */
  async accept(invitation: string, name: string): Promise<void> {
    const { welcome, fields } = this.texts;
    await this.page.goto(invitation);
    await expect(this.field(welcome.email)).toHaveValue(this.email);
    await this.field(welcome.name).fill(name);
    await this.field(fields.password).fill(this.password);
    await this.press(welcome.submit);
  }

  /** Sets up what the console asks for first. From here on the session is confirmed whenever it asks for that. */
  async setUpSecondFactor(): Promise<void> {
    const { setup, confirm, code } = this.texts;
    this.secret = (await this.page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(/\s/g, '');
    await this.field(code.label).fill(this.code());
    await this.press(setup.turnOn);
    await this.press(setup.kept);
    await expect(this.menu).toBeVisible();
    const dialog = this.dialog(confirm.title);
    await this.page.addLocatorHandler(dialog, async () => {
      await this.field(confirm.code, dialog).fill(this.code());
      await this.press(confirm.submit, dialog);
    });
  }
}
