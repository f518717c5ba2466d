import type { Schema } from '@agio/client/admin';
import { api, useAction, useList, useMayEdit } from '../api/index.ts';
import { draftOf, isMissing } from '../plugins/settings.ts';
import { DataTable, Refusal, Section, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';

type Plugin = Schema<'PluginView'>;

/** A rate plugin that is off and works without settings of the owner's. */
const isReady = (plugin: Plugin) =>
  plugin.kind === 'rates' && !plugin.enabled && plugin.settings.every((field) => !isMissing(field, draftOf(plugin)));

/** The sources that come with Agio and are not in use: one click switches on the plugin and the source. */
export function AvailableSources() {
  const { t } = useTexts();
  const mayEditPlugins = useMayEdit('plugins');
  const mayEditSources = useMayEdit('rateRules');
  const list = useList('/plugins', { enabled: mayEditPlugins && mayEditSources });
  const switchOn = useAction({
    // The source first: another node, which answers the second call, may not know yet that the plugin is on.
    run: async ({ name, revision }: Plugin) => {
      const path = { params: { path: { name } } };
      const source = (await api.GET('/rates/sources')).data?.find((found) => found.name === name);
      if (!source?.enabled) {
        await api.PUT('/rates/sources/{name}', { ...path, body: { revision: source?.revision ?? 0, enabled: true } });
      }
      return api.PATCH('/plugins/{name}', { ...path, body: { revision, enabled: true } });
    },
    done: ({ title }) => t('live.nowOn', { name: title }),
    stale: ['/plugins*', '/rates*', '/setup'],
  });
  const available = list.rows.filter(isReady);
  if (available.length === 0) return null;
  return (
    <Section title={t('live.available')}>
      <DataTable
        list={available}
        rowKey={(row) => row.name}
        button={{
          label: t('action.enable'),
          name: (row) => row.title,
          onClick: (row) => !switchOn.isPending && switchOn.mutate(row),
        }}
        columns={[
          {
            head: t('fields.source'),
            cell: (row) => (
              <>
                <strong>{row.title}</strong>
                <div className={css.small}>{row.about}</div>
              </>
            ),
          },
        ]}
      />
      <Refusal error={switchOn.error} />
    </Section>
  );
}
