import type { Currency, Monitor, MonitorFeed, MonitorFinding } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { CopyButton } from '../ui/Copy.tsx';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { Directions } from './Directions.tsx';
import { MonitorDialog } from './MonitorDialog.tsx';
import own from './Monitors.module.css';

/** How often the room is read again: what is wrong is to show up by itself. */
const FRESH_MS = 15_000;

/** Feeds for sites that compare exchangers, and what is kept out of them. */
export default function MonitorsScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.monitors,
    queryFn: api.monitors,
    refetchInterval: FRESH_MS,
  });
  const { data: currencies = [] } = useGetList<Currency>('currencies');
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'monitors', action: 'edit' });
  const [editing, setEditing] = useState<Monitor | 'new' | null>(null);
  return (
    <Page
      title={t('monitors.title')}
      line={t('monitors.line')}
      actions={mayEdit && <Button onClick={() => setEditing('new')}>{t('monitors.add')}</Button>}
    >
      {isPending && <SkeletonRows height={46} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && (
        <>
          <Feeds ownFeed={data.own} monitors={data.items} onEdit={mayEdit ? setEditing : null} />
          <Findings rows={data.findings} />
          <Directions currencies={currencies} marks={data.marks} mayEdit={mayEdit} />
        </>
      )}
      {editing && data && (
        <MonitorDialog
          monitor={editing === 'new' ? null : editing}
          marks={data.marks}
          currencies={currencies}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}

function Feeds({
  ownFeed,
  monitors,
  onEdit,
}: {
  ownFeed: MonitorFeed;
  monitors: Monitor[];
  onEdit: ((monitor: Monitor) => void) | null;
}) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('monitors.monitor')}</th>
            <th scope="col">{t('monitors.feed')}</th>
            <th scope="col">{t('monitors.edges')}</th>
            <th scope="col" className={css.wide}>
              {t('monitors.built')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('monitors.edit')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Feed name={t('monitors.own')} feed={ownFeed} />
          {monitors.map((monitor) => (
            <Feed
              key={monitor.id}
              name={monitor.name}
              note={monitor.enabled ? monitor.marks.join(', ') : t('monitors.off')}
              isOff={!monitor.enabled}
              feed={monitor.feed}
              onEdit={onEdit && (() => onEdit(monitor))}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Feed({
  name,
  note,
  isOff,
  feed,
  onEdit,
}: {
  name: string;
  note?: string;
  isOff?: boolean;
  feed: MonitorFeed;
  onEdit?: (() => void) | null;
}) {
  const { t, language } = useWords();
  const counts = (['keptOut', 'resting', 'unlisted', 'withoutCity'] as const).filter((count) => feed[count] > 0);
  return (
    <tr className={isOff ? css.off : undefined}>
      <td>
        <strong>{name}</strong>
        {note && <span className={css.small}> {note}</span>}
      </td>
      <td className={css.full}>
        <span className={own.links}>
          {[feed.xml, feed.json].map((path) => (
            <span key={path}>
              <a className={own.address} href={path} target="_blank" rel="noreferrer">
                {path}
              </a>
              <CopyButton value={new URL(path, window.location.origin).href} label={path} />
            </span>
          ))}
        </span>
      </td>
      <td>
        <span className="figures">{t('monitors.edgeCount', { smart_count: feed.edges })}</span>
        {counts.map((count) => (
          <span key={count} className={own.counts}>
            {t(`monitors.counts.${count}`, { smart_count: feed[count] })}
          </span>
        ))}
      </td>
      <td className={`${css.small} ${css.wide}`}>{momentText(feed.builtAt, language)}</td>
      <td className={css.actions}>
        {onEdit && (
          <Button onClick={onEdit} aria-label={`${t('monitors.edit')}: ${name}`}>
            {t('monitors.edit')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function Findings({ rows }: { rows: MonitorFinding[] }) {
  const { t, language } = useWords();
  if (rows.length === 0) return <EmptyNote title={t('monitors.calm')} text={t('monitors.calmText')} />;
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('monitors.findings')}</h2>
      </div>
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('monitors.direction')}</th>
              <th scope="col">{t('monitors.feed')}</th>
              <th scope="col">{t('monitors.why')}</th>
              <th scope="col" className={css.wide}>
                {t('monitors.since')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.slug ?? ''} ${row.fromId} ${row.toId} ${row.rule}`}>
                <td>
                  <strong className={css.bad}>
                    {row.from} → {row.to}
                  </strong>
                </td>
                <td>{row.slug ?? t('monitors.everywhere')}</td>
                <td className={`${own.why} ${css.full}`}>{row.text}</td>
                <td className={`${css.small} ${css.wide}`}>{momentText(row.since, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
