import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useGet } from '../api/index.ts';
import { DataTable, EmptyNote, ErrorNote, Page, Section, Segments, SkeletonRows, useTexts } from '../ui/index.ts';
import { AvailableSources } from './AvailableSources.tsx';
import { Sources } from './Sources.tsx';
import { Suspensions } from './Suspensions.tsx';

const ALL = 'all';

type Rates = Schema<'ObservedRates'>;

/** What the sources have published and how old it is. */
export default function RatesScreen() {
  const { t, longDayText } = useTexts();
  const { data, error, isPending, refetch } = useGet('/rates');
  const line = data?.day ? t('rates.fixed', { day: longDayText(data.day) }) : t('rates.live');
  return (
    <Page title={t('screens.rates')} line={data && data.sources.length > 0 && line}>
      <Suspensions />
      <Sources />
      {isPending && <SkeletonRows />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.sources.length === 0 && <EmptyNote title={t('rates.empty')} text={t('rates.emptyText')} />}
      <AvailableSources />
      {data && data.sources.length > 0 && (
        <>
          <Published rates={data} />
          <Observations rates={data} />
        </>
      )}
    </Page>
  );
}

const sourceName = (source: string, t: (key: string, options?: Record<string, unknown>) => string) =>
  t(`rates.sources.${source}`, { _: source });

function Published({ rates }: { rates: Rates }) {
  const { t, dateTimeText } = useTexts();
  return (
    <Section title={t('rates.published')}>
      <DataTable
        plain
        list={rates.sources}
        rowKey={(row) => row.source}
        columns={[
          { head: t('fields.source'), cell: (row) => <strong>{sourceName(row.source, t)}</strong> },
          {
            head: t('fields.state'),
            lookOf: (row) => !row.fresh && 'bad',
            cell: (row) => t(row.fresh ? 'rates.fresh' : 'rates.old'),
          },
          { head: t('rates.observed'), cell: (row) => dateTimeText(row.observedAt) },
          {
            head: t('rates.imported'),
            look: ['small', 'wide'],
            cell: (row) => dateTimeText(row.importedAt),
          },
          { head: t('rates.count'), look: ['right'], cell: (row) => row.count },
        ]}
      />
    </Section>
  );
}

function Observations({ rates }: { rates: Rates }) {
  const { t, amountText, dateTimeText } = useTexts();
  const [source, setSource] = useState(ALL);
  const options = [
    { value: ALL, label: t('state.all') },
    ...rates.sources.map((found) => ({ value: found.source, label: sourceName(found.source, t) })),
  ];
  return (
    <Section
      title={t('rates.observations')}
      actions={<Segments label={t('fields.source')} value={source} onValue={setSource} options={options} />}
    >
      <DataTable
        plain
        list={rates.observations.filter((row) => source === ALL || row.source === source)}
        rowKey={(row) => `${row.source}-${row.base}-${row.quote}`}
        columns={[
          {
            head: t('rates.pair'),
            cell: (row) => (
              <>
                <strong>{row.base}</strong> / {row.quote}
              </>
            ),
          },
          {
            head: t('fields.bid'),
            look: ['right'],
            className: 'figures',
            cell: (row) => amountText(row.bid),
          },
          {
            head: t('fields.ask'),
            look: ['right'],
            className: 'figures',
            cell: (row) => amountText(row.ask),
          },
          { head: t('fields.source'), look: ['wide'], cell: (row) => sourceName(row.source, t) },
          { head: t('rates.observed'), look: ['small', 'wide'], cell: (row) => dateTimeText(row.observedAt) },
        ]}
      />
    </Section>
  );
}
