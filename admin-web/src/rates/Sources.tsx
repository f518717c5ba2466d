import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useList, useMayEdit } from '../api/index.ts';
import { DataTable, ErrorNote, Section, SkeletonRows, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { REFRESH_MS } from './refresh.ts';
import { SourceDialog } from './SourceDialog.tsx';

type Source = Schema<'RateSourceView'>;

/** The rate plugins: their state and configuration. */
export function Sources() {
  const { t, dateTimeText } = useTexts();
  const list = useList('/rates/sources', { refetchInterval: REFRESH_MS });
  const mayEdit = useMayEdit('rateRules');
  const [editing, setEditing] = useState<Source | null>(null);
  if (list.isPending) return <SkeletonRows />;
  if (list.error) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (list.rows.length === 0) return null;
  const fault = (row: Source) => (row.enabled ? row.fault : null);
  return (
    <Section title={t('live.sources')}>
      <DataTable
        list={list.rows}
        rowKey={(row) => row.name}
        isOff={(row) => !row.enabled}
        button={mayEdit && { label: t('action.setUp'), name: (row) => row.title, onClick: setEditing }}
        columns={[
          {
            head: t('fields.source'),
            cell: (row) => {
              const marks = [
                row.crossCheck && t('live.checks'),
                row.readsAggregator && t('live.readsAggregator'),
              ].filter(Boolean);
              return (
                <>
                  <strong>{row.title}</strong>
                  {marks.length > 0 && <div className={css.small}>{marks.join(', ')}</div>}
                </>
              );
            },
          },
          {
            head: t('fields.state'),
            lookOf: (row) => (fault(row) ? 'full' : 'end'),
            cell: (row) => {
              const state = !row.enabled ? 'off' : row.live ? 'live' : 'silent';
              return (
                <>
                  <span className={state === 'silent' ? css.bad : undefined}>
                    {t(`live.state.${row.installed ? state : 'gone'}`)}
                  </span>
                  {fault(row) && <div className={css.small}>{fault(row)}</div>}
                </>
              );
            },
          },
          {
            head: t('live.answered'),
            cell: (row) => (
              <>
                {row.respondedAt ? dateTimeText(row.respondedAt) : t('live.never')}
                {row.respondedAt && <div className={css.small}>{t('live.prices', { smart_count: row.prices })}</div>}
              </>
            ),
          },
          { head: t('live.every'), look: ['right'], cell: (row) => intervalText(row.everySeconds, t) },
        ]}
      />
      {editing && <SourceDialog source={editing} onClose={() => setEditing(null)} />}
    </Section>
  );
}

const HOUR = 3_600;
const MINUTE = 60;

/** An interval in the largest unit it is whole in. */
function intervalText(seconds: number, t: (key: string, options: { smart_count: number }) => string): string {
  if (seconds % HOUR === 0) return t('live.hours', { smart_count: seconds / HOUR });
  if (seconds % MINUTE === 0) return t('live.minutes', { smart_count: seconds / MINUTE });
  return t('live.seconds', { smart_count: seconds });
}
