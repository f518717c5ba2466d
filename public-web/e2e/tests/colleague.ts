import { randomUUID } from 'node:crypto';
import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test';
import { en } from '../../../admin-web/src/i18n/en.ts';
import { ru } from '../../../admin-web/src/i18n/ru.ts';
import type { Locale } from './words.ts';

const OWNER = { email: 'owner@agio.example', password: 'agio-demo-owner' };

/** Has the demonstration's owner invite somebody to a role. */
export async function invite(request: APIRequestContext, email: string, role: string, language: Locale): Promise<void> {
  const api = '/api/admin/v1';
  const session = await request.post(`${api}/auth/login`, { data: OWNER });
  expect(session.ok(), await session.text()).toBe(true);
  const headers = { authorization: `Bearer ${(await session.json()).accessToken}` };
  const confirmed = await request.post(`${api}/me/confirm`, { headers, data: { password: OWNER.password } });
  expect(confirmed.ok(), await confirmed.text()).toBe(true);
  const invited = await request.post(`${api}/invitations`, { headers, data: { email, role, language } });
  expect(invited.status(), await invited.text()).toBe(201);
}

/** Somebody who comes to work here, at their browser. */
export class Colleague {
  readonly words: typeof ru;
  readonly email = `colleague-${randomUUID().slice(0, 8)}@agio.example`;
  readonly password = 'correct horse battery staple';

  constructor(
    readonly page: Page,
    locale: Locale,
  ) {
    this.words = { ru, en }[locale];
  }

  /** The field with these words; the code and password fields are not all text boxes. */
  field(label: string, within: Page | Locator = this.page): Locator {
    return within.getByLabel(label, { exact: true });
  }

  async press(button: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByRole('button', { name: button, exact: true }).click();
  }

  dialog(title: string): Locator {
    return this.page.getByRole('dialog', { name: title, exact: true });
  }

  /** The button that opens the colleague's own menu. */
  get menu(): Locator {
    const [label] = this.words.layout.account.split('%');
    return this.page.getByRole('button', { name: new RegExp(`^${label}`) });
  }

  async choose(item: string): Promise<void> {
    await this.menu.click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }
}
