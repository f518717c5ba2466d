import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useGet, useMayEdit } from '../api/index.ts';
import {
  Button,
  CopyButton,
  DataTable,
  EmptyNote,
  ErrorNote,
  Page,
  Section,
  SkeletonRows,
  useTexts,
} from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { AggregatorDialog } from './AggregatorDialog.tsx';
import own from './Aggregators.module.css';
import { Directions } from './Directions.tsx';

type Aggregator = Schema<'Aggregator'>;

/** Findings appear without a reload. */
const REFRESH_MS = 15_000;

/** The rate feeds for exchange aggregators, and the directions left out of them. */
export default function AggregatorsScreen() {
  const { t } = useTexts();
  const { data, error, isPending, refetch } = useGet('/aggregators', { refetchInterval: REFRESH_MS });
  const mayEdit = useMayEdit('aggregators');
  const [editing, setEditing] = useState<Aggregator | 'new' | null>(null);
  return (
    <Page
      title={t('screens.aggregators')}
      line={t('aggregators.line')}
      actions={mayEdit && <Button onClick={() => setEditing('new')}>{t('aggregators.add')}</Button>}
    >
      {isPending && <SkeletonRows height={46} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && (
        <>
          <Feeds ownFeed={data.own} aggregators={data.items} onEdit={mayEdit ? setEditing : null} />
          <Findings rows={data.findings} />
          <Directions marks={data.marks} mayEdit={mayEdit} />
        </>
      )}
      {editing && data && (
        <AggregatorDialog
          aggregator={editing === 'new' ? null : editing}
          marks={data.marks}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}

type FeedsProps = {
  ownFeed: Schema<'AggregatorFeed'>;
  aggregators: Aggregator[];
  onEdit: ((aggregator: Aggregator) => void) | null;
};

/** Our own feed and one for each aggregator. */
function Feeds({ ownFeed, aggregators, onEdit }: FeedsProps) {
  const { t, dateTimeText } = useTexts();
  const rows = [
    { feed: ownFeed, name: t('aggregators.own'), aggregator: null },
    ...aggregators.map((aggregator) => ({ feed: aggregator.feed, name: aggregator.name, aggregator })),
  ];
  return (
    <DataTable
      list={rows}
      rowKey={({ aggregator }) => aggregator?.id ?? 'own'}
      isOff={({ aggregator }) => aggregator?.enabled === false}
      button={
        onEdit && {
          label: t('aggregators.edit'),
          name: ({ name }) => name,
          isShown: ({ aggregator }) => aggregator !== null,
          onClick: ({ aggregator }) => aggregator && onEdit(aggregator),
        }
      }
      columns={[
        {
          head: t('things.aggregator'),
          cell: ({ name, aggregator }) => (
            <>
              <strong>{name}</strong>
              {aggregator && (
                <span className={css.small}>
                  {' '}
                  {aggregator.enabled ? aggregator.marks.join(', ') : t('aggregators.off')}
                </span>
              )}
            </>
          ),
        },
        {
          head: t('aggregators.feed'),
          look: ['full'],
          cell: ({ feed }) => (
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
          ),
        },
        { head: t('aggregators.edges'), cell: ({ feed }) => <Counts feed={feed} /> },
        {
          head: t('aggregators.built'),
          look: ['small', 'wide'],
          cell: ({ feed }) => dateTimeText(feed.builtAt),
        },
      ]}
    />
  );
}

function Counts({ feed }: { feed: Schema<'AggregatorFeed'> }) {
  const { t } = useTexts();
  const counts = (['keptOut', 'resting', 'unlisted'] as const).filter((count) => feed[count] > 0);
  return (
    <>
      <span className="figures">{t('aggregators.edgeCount', { smart_count: feed.edges })}</span>
      {counts.map((count) => (
        <span key={count} className={css.line}>
          {t(`aggregators.counts.${count}`, { smart_count: feed[count] })}
        </span>
      ))}
    </>
  );
}

function Findings({ rows }: { rows: Schema<'FeedFinding'>[] }) {
  const { t, dateTimeText } = useTexts();
  if (rows.length === 0) return <EmptyNote title={t('aggregators.calm')} text={t('aggregators.calmText')} />;
  return (
    <Section title={t('aggregators.findings')}>
      <DataTable
        list={rows}
        rowKey={(row) => `${row.slug ?? ''} ${row.giveId} ${row.receiveId} ${row.rule}`}
        columns={[
          {
            head: t('things.pair'),
            cell: (row) => (
              <strong className={css.bad}>
                {row.from} → {row.to}
              </strong>
            ),
          },
          { head: t('aggregators.feed'), cell: (row) => row.slug ?? t('aggregators.everywhere') },
          { head: t('fields.why'), look: ['full'], className: own.why, cell: (row) => row.text },
          { head: t('aggregators.since'), look: ['small', 'wide'], cell: (row) => dateTimeText(row.since) },
        ]}
      />
    </Section>
  );
}
