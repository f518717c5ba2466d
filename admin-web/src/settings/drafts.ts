import type { Schema } from '@agio/client/admin';
import { fieldsOf, isProblem } from '../api/problem.ts';

export type Setting = Schema<'SettingView'>;

/** Values an operator has changed and not saved, by key. */
export type Drafts = Record<string, string>;

/** Adds a changed value; the stored value is no draft. */
export function withDraft(drafts: Drafts, setting: Setting, value: string): Drafts {
  const { [setting.key]: _, ...rest } = drafts;
  return value === setting.value ? rest : { ...rest, [setting.key]: value };
}

/** The settings in whose title, description or name every word occurs. */
export function matching(settings: Setting[], text: string): Setting[] {
  const words = plain(text).split(/\s+/);
  return settings.filter(({ title, help, key }) => {
    const own = plain(`${title} ${help} ${key}`);
    return words.every((word) => own.includes(word));
  });
}

/** In Russian ё is often written as е. */
const plain = (text: string) => text.trim().toLowerCase().replaceAll('ё', 'е');

/** Settings by group, in the order the server lists them. */
export function grouped(settings: Setting[]): { name: string; settings: Setting[] }[] {
  const names = [...new Set(settings.map((setting) => setting.group))];
  return names.map((name) => ({ name, settings: settings.filter((setting) => setting.group === name) }));
}

/** Whether a number is out of its range; the server checks other kinds. */
export function isOutside(setting: Setting, value: string): boolean {
  if (setting.kind !== 'int') return false;
  if (!/^-?\d+$/.test(value)) return true;
  const { range } = setting;
  return range !== null && (Number(value) < range.min || Number(value) > range.max);
}

/** The setting the server takes only once it is confirmed. */
export function unconfirmedOf(error: unknown, settings: Setting[]): Setting | null {
  if (!isProblem(error) || error.code !== 'confirmation_needed') return null;
  const [name] = Object.keys(fieldsOf(error));
  return settings.find(({ key }) => key === name) ?? null;
}
