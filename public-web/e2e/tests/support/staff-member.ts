import { randomUUID } from 'node:crypto';
import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test';
import { en } from '../../../../admin-web/src/i18n/en.ts';
import { ru } from '../../../../admin-web/src/i18n/ru.ts';
import type { Locale } from './dictionary.ts';
import { StaffApi } from './staff-api.ts';

/** Has the demonstration's owner invite somebody to a role. */
export async function invite(request: APIRequestContext, email: string, role: string, language: Locale): Promise<void> {
  const owner = await StaffApi.signIn(request);
  expect(await owner.call('POST', '/invitations', { email, role, language })).toBeTruthy();
}

/** A new staff member at their browser. */
export class StaffMember {
  readonly texts: typeof ru;
  readonly password = 'correct horse battery staple';

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
}
