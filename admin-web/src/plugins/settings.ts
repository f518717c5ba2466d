import type { Schema } from '@agio/client/admin';

export type Plugin = Schema<'PluginView'>;

/** What is typed into a plugin's form, by the setting's name. */
export type Draft = Record<string, string>;

/** The form as it is opened: what is set, empty where nothing is; secrets are never shown again. */
export const draftOf = (plugin: Plugin): Draft =>
  Object.fromEntries(plugin.settings.map((field) => [field.name, field.value ?? '']));

/**
 * What of the form has to be sent. An emptied line goes back to its default; an empty secret that is set stays as it is.
 */
export function changesOf(plugin: Plugin, draft: Draft): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const field of plugin.settings) {
    const typed = (draft[field.name] ?? '').trim();
    if (typed === (field.value ?? '')) continue;
    changes[field.name] = typed === '' ? null : typed;
  }
  return changes;
}

/** Whether a field still has to be filled in before the plugin can work. */
export const isMissing = (field: Schema<'PluginSettingView'>, draft: Draft): boolean =>
  field.default === null && !(field.isSet && field.kind === 'secret') && (draft[field.name] ?? '').trim() === '';

/** The addresses a plugin calls. Its manifest may name a setting instead, which then has the address. */
export const hostsOf = ({ hosts, settings }: Plugin, draft: Draft): string[] =>
  hosts.map((host) => {
    const field = settings.find(({ name }) => name === host);
    return field ? draft[host]?.trim() || field.default || field.title : host;
  });
