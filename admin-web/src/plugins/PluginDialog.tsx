import type { Plugin, PluginField } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { secondText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import own from './Plugins.module.css';
import { changesOf, draftOf, isWanted } from './settings.ts';

/** How a plugin is set: the form follows from its manifest. */
export function PluginDialog({ plugin, onClose }: { plugin: Plugin; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const [draft, setDraft] = useState(() => draftOf(plugin));
  const changes = changesOf(plugin, draft);
  const save = useMutation({
    mutationFn: () => api.updatePlugin(plugin.name, { revision: plugin.revision, settings: changes }),
    onSuccess: () => {
      saved(t('plugins.saved'), [...KEYS.plugins]);
      onClose();
    },
  });
  const errors = fieldsOf(save.error);
  const wanted = plugin.settings.some((field) => isWanted(field, draft));
  const ready = Object.keys(changes).length > 0 && !wanted && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && save.mutate()}
      title={plugin.title}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <p className={own.hosts}>{plugin.about}</p>
      <p className={own.hosts}>
        {plugin.hosts.length === 0 ? t('plugins.nowhere') : `${t('plugins.hosts')}: ${plugin.hosts.join(', ')}`}
      </p>
      {plugin.settings.length === 0 && <p className={own.hosts}>{t('plugins.noSettings')}</p>}
      {plugin.settings.map((field) => (
        <Setting
          key={field.name}
          field={field}
          value={draft[field.name] ?? ''}
          error={errors[`settings.${field.name}`]}
          onValue={(value) => setDraft({ ...draft, [field.name]: value })}
        />
      ))}
      {plugin.sha256 && <Process plugin={plugin} mayRevive={plugin.state === 'quarantined'} />}
      <Refusal error={save.error} />
      <AuditLink kind="plugin" id={plugin.name} />
    </Modal>
  );
}

/** The process of a library: how often it was started, what it printed, and another chance for one that was given up. */
function Process({ plugin, mayRevive }: { plugin: Plugin; mayRevive: boolean }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const log = useQuery({ queryKey: KEYS.pluginLog(plugin.name), queryFn: () => api.pluginLog(plugin.name) });
  const revive = useMutation({
    mutationFn: () => api.revivePlugin(plugin.name),
    onSuccess: () => saved(t('plugins.revived'), [...KEYS.plugins]),
  });
  return (
    <section className={own.process}>
      <p className={own.hosts}>
        {plugin.process === null ? t('plugins.noProcess') : t('plugins.process', { process: plugin.process })},{' '}
        {t('plugins.restarts', { smart_count: plugin.restarts })}
      </p>
      {mayRevive && (
        <Button disabled={revive.isPending} onClick={() => revive.mutate()}>
          {t('plugins.revive')}
        </Button>
      )}
      <Refusal error={revive.error ?? log.error} />
      {log.data && log.data.length > 0 && (
        <pre
          role="log"
          // What scrolls is reached by the keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
          tabIndex={0}
          className={own.log}
          aria-label={t('plugins.log')}
        >
          {log.data.map((line) => `${secondText(line.at, language)}  ${line.text}\n`).join('')}
        </pre>
      )}
    </section>
  );
}

function Setting({
  field,
  value,
  error,
  onValue,
}: {
  field: PluginField;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}) {
  const { t } = useWords();
  const titled = (choice: string) => field.choices.find((one) => one.value === choice)?.title ?? choice;
  const help =
    field.kind === 'secret' && field.isSet
      ? t('plugins.secretSet')
      : field.default !== null && field.default !== ''
        ? t('plugins.byDefault', { value: titled(field.default) })
        : undefined;
  const frame = { label: field.title, value, error, help, onValue };
  switch (field.kind) {
    case 'bool':
    case 'choice': {
      const known =
        field.kind === 'bool'
          ? ['true', 'false'].map((one) => ({ value: one, label: t(one === 'true' ? 'plugins.yes' : 'plugins.no') }))
          : field.choices.map((one) => ({ value: one.value, label: one.title }));
      const options = field.default === null ? known : [{ value: '', label: t('plugins.goBack') }, ...known];
      return <Choice {...frame} help={field.kind === 'bool' ? undefined : help} options={options} />;
    }
    case 'int':
      return <NumberField {...frame} />;
    case 'secret':
      return <Field {...frame} type="password" autoComplete="new-password" />;
    default:
      return <Field {...frame} autoComplete="off" />;
  }
}
