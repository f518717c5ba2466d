import type { Setting } from '@agio/client/admin';
import { fieldsOf, isProblem } from '../api/problem.ts';

/** Values an operator has changed and not saved, by key. */
export type Drafts = Record<string, string>;

/** Takes a value in; a value that is what the server has is no draft any more. */
export function withDraft(drafts: Drafts, setting: Setting, value: string): Drafts {
  const { [setting.key]: _, ...rest } = drafts;
  return value === setting.value ? rest : { ...rest, [setting.key]: value };
}

/** Settings by group, in the order the server lists them. */
export function grouped(settings: Setting[]): { name: string; settings: Setting[] }[] {
  const names = [...new Set(settings.map((setting) => setting.group))];
  return names.map((name) => ({ name, settings: settings.filter((setting) => setting.group === name) }));
}

/** Whether a number stands in its range; other kinds are the server's to judge. */
export function isOutside(setting: Setting, value: string): boolean {
  if (setting.kind !== 'int') return false;
  if (!/^-?\d+$/.test(value)) return true;
  const { range } = setting;
  return range !== null && (Number(value) < range.min || Number(value) > range.max);
}

/** The setting the server takes only once somebody has confirmed it. */
export function unconfirmedOf(error: unknown, settings: Setting[]): Setting | null {
  if (!isProblem(error) || error.code !== 'confirmation_needed') return null;
  const [name] = Object.keys(fieldsOf(error));
  return settings.find(({ key }) => key === name) ?? null;
}
