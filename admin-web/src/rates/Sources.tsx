import type { RateSource } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { SourceDialog } from './SourceDialog.tsx';

/** How often sources are read again: a fault is to show up by itself. */
const FRESH_MS = 10_000;

/** Plugins that are asked for rates: how they are, and how they are set up. */
export function Sources() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.rateSources,
    queryFn: api.rateSources,
    refetchInterval: FRESH_MS,
  });
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'rateRules', action: 'edit' });
  const [editing, setEditing] = useState<RateSource | null>(null);
  if (isPending) return <SkeletonRows />;
  if (!data) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data.length === 0) return null;
  return (
    <>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('live.sources')}</h2>
      </div>
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('rates.source')}</th>
              <th scope="col">{t('rates.state')}</th>
              <th scope="col">{t('live.answered')}</th>
              <th scope="col" className={css.right}>
                {t('live.every')}
              </th>
              <th scope="col">
                <span className="visually-hidden">{t('live.setUp')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((source) => (
              <Source key={source.name} source={source} onEdit={mayEdit ? () => setEditing(source) : null} />
            ))}
          </tbody>
        </table>
      </div>
      {editing && <SourceDialog source={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

const HOUR = 3_600;
const MINUTE = 60;

/** A pace in the largest unit it is whole in. */
function paceText(seconds: number, t: (key: string, options: { smart_count: number }) => string): string {
  if (seconds % HOUR === 0) return t('live.hours', { smart_count: seconds / HOUR });
  if (seconds % MINUTE === 0) return t('live.minutes', { smart_count: seconds / MINUTE });
  return t('live.seconds', { smart_count: seconds });
}

function Source({ source, onEdit }: { source: RateSource; onEdit: (() => void) | null }) {
  const { t, language } = useWords();
  const state = !source.enabled ? 'off' : source.live ? 'live' : 'silent';
  const fault = source.enabled ? source.fault : null;
  const marks = [source.crossCheck && t('live.checks'), source.monitor && t('live.monitor')].filter(Boolean);
  return (
    <tr className={source.enabled ? undefined : css.off}>
      <td>
        <strong>{source.title}</strong>
        {marks.length > 0 && <div className={css.small}>{marks.join(', ')}</div>}
      </td>
      <td className={fault ? css.full : css.end}>
        <span className={state === 'silent' ? css.bad : undefined}>
          {t(`live.state.${source.there ? state : 'gone'}`)}
        </span>
        {fault && <div className={css.small}>{fault}</div>}
      </td>
      <td>
        {source.answeredAt ? momentText(source.answeredAt, language) : t('live.never')}
        {source.answeredAt && <div className={css.small}>{t('live.prices', { smart_count: source.prices })}</div>}
      </td>
      <td className={css.right}>{paceText(source.everySeconds, t)}</td>
      <td className={css.actions}>
        {onEdit && (
          <Button onClick={onEdit} aria-label={`${t('live.setUp')}: ${source.title}`}>
            {t('live.setUp')}
          </Button>
        )}
      </td>
    </tr>
  );
}
