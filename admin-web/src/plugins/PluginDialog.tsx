import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, useGet } from '../api/index.ts';
import { clockText } from '../ui/format.ts';
import {
  ActionButton,
  AuditLink,
  Choice,
  CopyButton,
  Field,
  FormDialog,
  NumberField,
  Refusal,
  useTexts,
} from '../ui/index.ts';
import own from './Plugins.module.css';
import { changesOf, draftOf, hostsOf, isMissing, type Plugin } from './settings.ts';

/** The settings of a plugin: the form follows from its manifest. */
export function PluginDialog({ plugin: opened, onClose }: { plugin: Plugin; onClose: () => void }) {
  const { t } = useTexts();
  const [plugin, setPlugin] = useState(opened);
  const { name, revision, settings } = plugin;
  return (
    <FormDialog
      title={plugin.title}
      initial={draftOf(plugin)}
      isReady={(draft) =>
        Object.keys(changesOf(plugin, draft)).length > 0 && !settings.some((setting) => isMissing(setting, draft))
      }
      save={(draft) =>
        api.PATCH('/plugins/{name}', {
          params: { path: { name } },
          body: { revision, settings: changesOf(plugin, draft) },
        })
      }
      done={t('plugins.saved')}
      stale={['/plugins*']}
      onClose={onClose}
    >
      {({ draft, change, error }) => (
        <>
          <p className={own.hosts}>{plugin.about}</p>
          <p className={own.hosts}>
            {plugin.hosts.length === 0
              ? t('plugins.nowhere')
              : `${t('plugins.hosts')}: ${hostsOf(plugin, draft).join(', ')}`}
          </p>
          {settings.length === 0 && <p className={own.hosts}>{t('plugins.noSettings')}</p>}
          {settings.map((setting) => (
            <SettingField
              key={setting.name}
              setting={setting}
              value={draft[setting.name] ?? ''}
              error={error(`settings.${setting.name}`)}
              onValue={(value) => change({ [setting.name]: value })}
            />
          ))}
          {plugin.callbackUrl && <CallbackUrl plugin={plugin} url={plugin.callbackUrl} onChange={setPlugin} />}
          {plugin.sha256 && <Process plugin={plugin} />}
          <AuditLink kind="plugin" id={name} />
        </>
      )}
    </FormDialog>
  );
}

type CallbackProps = { plugin: Plugin; url: string; onChange: (plugin: Plugin) => void };

/** Where the service behind a plugin may report that something has happened. */
function CallbackUrl({ plugin: { name, revision }, url, onChange }: CallbackProps) {
  const { t } = useTexts();
  return (
    <section className={own.process}>
      <p className={own.hosts}>
        {t('plugins.callback')}: <code>{url}</code> <CopyButton value={url} label={t('plugins.callback')} />
      </p>
      <p className={own.hosts}>{t('plugins.callbackHelp')}</p>
      <ActionButton
        label={t('plugins.newCallback')}
        sure={t('plugins.newCallbackSure')}
        run={() =>
          api.PATCH('/plugins/{name}', { params: { path: { name } }, body: { revision, newCallbackUrl: true } })
        }
        done={t('plugins.callbackReplaced')}
        stale={['/plugins*']}
        onDone={onChange}
      />
    </section>
  );
}

/** The process of a library: its restarts and log, and the end of its quarantine. */
function Process({ plugin: { name, process, restarts, state } }: { plugin: Plugin }) {
  const { t } = useTexts();
  const { data: log = [], error } = useGet('/plugins/{name}/log', { path: { name } });
  return (
    <section className={own.process}>
      <p className={own.hosts}>
        {process === null ? t('plugins.noProcess') : t('plugins.process', { process })},{' '}
        {t('plugins.restarts', { smart_count: restarts })}
      </p>
      {state === 'quarantined' && (
        <ActionButton
          label={t('plugins.revive')}
          run={() => api.POST('/plugins/{name}/revive', { params: { path: { name } } })}
          done={t('plugins.revived')}
          stale={['/plugins*']}
        />
      )}
      <Refusal error={error} />
      {log.length > 0 && (
        <pre
          role="log"
          // What scrolls is reached by the keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
          tabIndex={0}
          className={own.log}
          aria-label={t('plugins.log')}
        >
          {log.map((line) => `${clockText(line.at)}  ${line.text}\n`).join('')}
        </pre>
      )}
    </section>
  );
}

type SettingProps = {
  setting: Schema<'PluginSettingView'>;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
};

function SettingField({ setting, value, error, onValue }: SettingProps) {
  const { t } = useTexts();
  const { kind, choices, isSet } = setting;
  const titleOf = (choice: string) => choices.find((one) => one.value === choice)?.title ?? choice;
  const help =
    kind === 'secret' && isSet
      ? t('plugins.secretSet')
      : setting.default !== null && setting.default !== ''
        ? t('plugins.byDefault', { value: titleOf(setting.default) })
        : undefined;
  const frame = { label: setting.title, value, error, help, onValue };
  const withDefault = (options: { value: string; label: string }[]) =>
    setting.default === null ? options : [{ value: '', label: t('plugins.goBack') }, ...options];
  switch (kind) {
    case 'bool': {
      const options = ['true', 'false'].map((one) => ({
        value: one,
        label: t(one === 'true' ? 'state.yes' : 'state.no'),
      }));
      return <Choice {...frame} help={undefined} options={withDefault(options)} />;
    }
    case 'choice':
      return (
        <Choice {...frame} options={withDefault(choices.map((one) => ({ value: one.value, label: one.title })))} />
      );
    case 'int':
      return <NumberField {...frame} />;
    case 'secret':
      return <Field {...frame} type="password" autoComplete="new-password" />;
    case 'text':
    case 'url':
      return <Field {...frame} autoComplete="off" />;
  }
}
