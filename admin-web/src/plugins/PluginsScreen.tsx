import type { Plugin, Plugins } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { PluginDialog } from './PluginDialog.tsx';
import own from './Plugins.module.css';

/** How often the room is read again: faults are to show up by themselves. */
const FRESH_MS = 10_000;

/** States in which somebody has to do something, or look. */
const TROUBLES = new Set(['unset', 'resting', 'quarantined', 'misnamed']);

/** Plugins: what they are for, whether they work, and how they do. */
export default function PluginsScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.plugins,
    queryFn: api.plugins,
    refetchInterval: FRESH_MS,
  });
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'plugins', action: 'edit' });
  const [editing, setEditing] = useState<Plugin | null>(null);
  return (
    <Page title={t('plugins.title')} line={t('plugins.line')}>
      {isPending && <SkeletonRows height={64} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <EmptyNote title={t('plugins.empty')} text={t('plugins.emptyText')} />}
      {data && data.items.length > 0 && (
        <div className={css.wrap}>
          <table className={`${css.table} ${css.stacks}`}>
            <thead>
              <tr>
                <th scope="col">{t('plugins.plugin')}</th>
                <th scope="col">{t('plugins.does')}</th>
                <th scope="col" className={css.wide}>
                  {t('plugins.answered')}
                </th>
                <th scope="col">{t('plugins.on')}</th>
                <th scope="col">
                  <span className="visually-hidden">{t('plugins.set')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((plugin) => (
                <Row key={plugin.name} plugin={plugin} onEdit={mayEdit ? () => setEditing(plugin) : null} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && <Strangers plugins={data} />}
      {editing && <PluginDialog plugin={editing} onClose={() => setEditing(null)} />}
    </Page>
  );
}

/** Libraries that are listed and not there, and those that are there and not listed. */
function Strangers({ plugins }: { plugins: Plugins }) {
  const { t } = useWords();
  if (plugins.missing.length === 0 && plugins.strangers.length === 0) return null;
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('plugins.apart')}</h2>
      </div>
      {plugins.missing.map((name) => (
        <p key={name} className={`${own.apart} ${css.bad}`}>
          {t('plugins.missing', { name })}
        </p>
      ))}
      {plugins.strangers.map((library) => (
        <p key={library.sha256} className={own.apart}>
          {t('plugins.stranger', { name: library.name })} <code>{`${library.name} = "${library.sha256}"`}</code>
        </p>
      ))}
    </section>
  );
}

function Row({ plugin, onEdit }: { plugin: Plugin; onEdit: (() => void) | null }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const turn = useMutation({
    mutationFn: (enabled: boolean) => api.updatePlugin(plugin.name, { revision: plugin.revision, enabled }),
    onSuccess: (changed) =>
      saved(t(changed.enabled ? 'plugins.nowOn' : 'plugins.nowOff', { name: plugin.title }), [...KEYS.plugins]),
  });
  return (
    <tr className={plugin.enabled ? undefined : css.off}>
      <td className={css.full}>
        <strong>{plugin.title}</strong>{' '}
        <span className={css.small}>
          {plugin.kind && t(`plugins.kind.${plugin.kind}`)} {plugin.version && `· ${plugin.version}`}{' '}
          {plugin.sha256 && `· ${t('plugins.library')}`}
        </span>
        <span className={`${css.small} ${own.about}`}>{plugin.about}</span>
        <Refusal error={turn.error} />
      </td>
      <td className={css.full}>
        <span className={TROUBLES.has(plugin.state) ? css.bad : undefined}>{t(`plugins.state.${plugin.state}`)}</span>
        {plugin.reason && <span className={`${css.small} ${own.does}`}>{plugin.reason}</span>}
        <Doing plugin={plugin} />
      </td>
      <td className={`${css.small} ${css.wide}`}>
        {plugin.answeredAt ? momentText(plugin.answeredAt, language) : t('plugins.never')}
      </td>
      <td>
        <Toggle
          hidden
          label={`${t('plugins.on')}: ${plugin.title}`}
          value={plugin.enabled}
          disabled={!onEdit || turn.isPending}
          onValue={(enabled) => turn.mutate(enabled)}
        />
      </td>
      <td className={css.actions}>
        {onEdit && (
          <Button onClick={onEdit} aria-label={`${t('plugins.set')}: ${plugin.title}`}>
            {t('plugins.set')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function Doing({ plugin }: { plugin: Plugin }) {
  const { t, language } = useWords();
  if (plugin.asked === 0) return null;
  const { halfMs, mostMs } = plugin;
  return (
    <>
      <span className={`${css.small} ${own.does}`}>
        {t('plugins.times', { smart_count: plugin.asked })}
        {plugin.faults > 0 && `, ${t('plugins.faults', { smart_count: plugin.faults })}`}
      </span>
      {halfMs !== null && mostMs !== null && (
        <span className={`${css.small} ${own.does}`}>{t('plugins.speed', { half: halfMs, most: mostMs })}</span>
      )}
      {plugin.fault && plugin.faultAt && (
        <span className={`${css.small} ${css.bad} ${own.does}`}>
          {momentText(plugin.faultAt, language)}: {plugin.fault}
        </span>
      )}
    </>
  );
}
