import type { APIRequestContext, Page } from '@playwright/test';
import { Console } from './console.ts';
import type { Locale } from './dictionary.ts';
import { StaffApi } from './staff-api.ts';

const EDITOR = { email: 'auditor@agio.example', password: 'agio-demo-auditor' };

/** The console of an editor: the demonstration has none, so its owner gives the role to the auditor. */
export async function openAsEditor(page: Page, request: APIRequestContext, locale: Locale): Promise<Console> {
  const owner = await StaffApi.signIn(request);
  const { items: staff } = await owner.call('GET', '/staff');
  const { id } = staff.find(({ email }: { email: string }) => email === EDITOR.email);
  await owner.call('PUT', `/staff/${id}/role`, { role: 'editor' });
  const admin = new Console(page, locale, EDITOR);
  await admin.enter();
  return admin;
}
