import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, useAction, useList, useMayEdit } from '../api/index.ts';
import { DataTable, Page, Refusal, Section, Toggle, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { PluginDialog } from './PluginDialog.tsx';
import own from './Plugins.module.css';
import type { Plugin } from './settings.ts';

/** Faults show up without a click. */
const REFRESH_MS = 10_000;

/** Whether staff should look at a plugin in this state. */
const NEEDS_ATTENTION: Record<Plugin['state'], boolean> = {
  ready: false,
  off: false,
  starting: false,
  unset: true,
  backing_off: true,
  quarantined: true,
  misnamed: true,
};

/** Whether it runs, but its last call failed. */
const isSilent = ({ state, answeredAt, faultAt }: Plugin): boolean =>
  state === 'ready' && faultAt !== null && Date.parse(faultAt) > Date.parse(answeredAt ?? '1970-01-01');

/** Plugins: their purpose, state and statistics. */
export default function PluginsScreen() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/plugins', { refetchInterval: REFRESH_MS });
  const mayEdit = useMayEdit('plugins');
  const [editing, setEditing] = useState<Plugin | null>(null);
  return (
    <Page title={t('screens.plugins')} line={t('plugins.line')}>
      <DataTable
        list={list}
        rowKey={(row) => row.name}
        isOff={(row) => !row.enabled}
        bones={{ height: 64 }}
        empty={{ title: t('plugins.empty'), text: t('plugins.emptyText') }}
        button={mayEdit && { label: t('action.setUp'), name: (row) => row.title, onClick: setEditing }}
        columns={[
          {
            head: t('things.plugin'),
            look: ['full'],
            cell: (row) => (
              <>
                <strong>{row.title}</strong>{' '}
                <span className={css.small}>
                  {row.kind && t(`plugins.kind.${row.kind}`)} {row.version && `· ${row.version}`}{' '}
                  {row.sha256 && `· ${t('plugins.library')}`}
                </span>
                <span className={`${css.small} ${own.about}`}>{row.about}</span>
              </>
            ),
          },
          {
            head: t('plugins.does'),
            look: ['full'],
            cell: (row) => (
              <>
                <span className={NEEDS_ATTENTION[row.state] || isSilent(row) ? css.bad : undefined}>
                  {isSilent(row)
                    ? t('plugins.silent', { time: dateTimeText(row.faultAt ?? '') })
                    : t(`plugins.state.${row.state}`)}
                </span>
                {row.reason && <span className={`${css.small} ${own.does}`}>{row.reason}</span>}
                {row.calls > 0 && <Statistics plugin={row} />}
              </>
            ),
          },
          {
            head: t('plugins.answered'),
            look: ['small', 'wide'],
            cell: (row) =>
              row.answeredAt ? dateTimeText(row.answeredAt) : t(row.calls > 0 ? 'plugins.unanswered' : 'plugins.never'),
          },
          { head: t('state.on'), cell: (row) => <EnabledToggle plugin={row} disabled={!mayEdit} /> },
        ]}
      />
      {list.meta && <OtherLibraries {...list.meta} />}
      {editing && <PluginDialog plugin={editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}

/** Libraries in the allow list that are missing, and those in the folder that are not in the list. */
function OtherLibraries({ missing, unregistered }: Pick<Schema<'PluginList'>, 'missing' | 'unregistered'>) {
  const { t } = useTexts();
  if (missing.length === 0 && unregistered.length === 0) return null;
  return (
    <Section title={t('plugins.apart')}>
      {missing.map((name) => (
        <p key={name} className={`${own.apart} ${css.bad}`}>
          {t('plugins.missing', { name })}
        </p>
      ))}
      {unregistered.map((library) => (
        <p key={library.sha256} className={own.apart}>
          {t('plugins.unregistered', { name: library.name })} <code>{`${library.name} = "${library.sha256}"`}</code>
        </p>
      ))}
    </Section>
  );
}

function EnabledToggle({ plugin, disabled }: { plugin: Plugin; disabled: boolean }) {
  const { t } = useTexts();
  const { name, revision, title } = plugin;
  const update = useAction({
    run: (enabled: boolean) =>
      api.PATCH('/plugins/{name}', { params: { path: { name } }, body: { revision, enabled } }),
    done: ({ enabled }) => t(enabled ? 'plugins.nowOn' : 'plugins.nowOff', { name: title }),
    stale: ['/plugins*'],
  });
  return (
    <>
      <Toggle
        hidden
        label={`${t('state.on')}: ${title}`}
        value={plugin.enabled}
        disabled={disabled || update.isPending}
        onValue={(enabled) => update.mutate(enabled)}
      />
      <Refusal error={update.error} />
    </>
  );
}

function Statistics({ plugin: { calls, faults, fault, faultAt, p50Ms, p99Ms } }: { plugin: Plugin }) {
  const { t, dateTimeText } = useTexts();
  return (
    <>
      <span className={`${css.small} ${own.does}`}>
        {t('plugins.times', { smart_count: calls })}
        {faults > 0 && `, ${t('plugins.faults', { smart_count: faults })}`}
      </span>
      {p50Ms !== null && p99Ms !== null && (
        <span className={`${css.small} ${own.does}`}>{t('plugins.speed', { half: p50Ms, most: p99Ms })}</span>
      )}
      {fault && faultAt && (
        <span className={`${css.small} ${css.bad} ${own.does}`}>
          {dateTimeText(faultAt)}: {fault}
        </span>
      )}
    </>
  );
}
