import type { Rates } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { amountText, dayText, momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { Sources as LiveSources } from './Sources.tsx';
import { Stops } from './Stops.tsx';

const ALL = 'all';

/** What the sources have published and how old it is. */
export default function RatesScreen() {
  const { t, language } = useWords();
  const { data, error, isPending, refetch } = useQuery({ queryKey: KEYS.rates, queryFn: api.rates });
  const line = data?.day ? t('rates.fixed', { day: dayText(data.day, language) }) : t('rates.live');
  return (
    <Page title={t('rates.title')} line={data && line}>
      <Stops />
      <LiveSources />
      {isPending && <SkeletonRows />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.sources.length === 0 && <EmptyNote title={t('rates.empty')} text={t('rates.emptyText')} />}
      {data && data.sources.length > 0 && (
        <>
          <Sources rates={data} />
          <Observations rates={data} />
        </>
      )}
    </Page>
  );
}

function Sources({ rates }: { rates: Rates }) {
  const { t, language } = useWords();
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('rates.published')}</h2>
      </div>
      <div className={css.wrap}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('rates.source')}</th>
              <th scope="col">{t('rates.state')}</th>
              <th scope="col">{t('rates.observed')}</th>
              <th scope="col" className={css.wide}>
                {t('rates.imported')}
              </th>
              <th scope="col" className={css.right}>
                {t('rates.count')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rates.sources.map((source) => (
              <tr key={source.source}>
                <td>
                  <strong>{sourceName(source.source, t)}</strong>
                </td>
                <td className={source.fresh ? undefined : css.bad}>{t(source.fresh ? 'rates.fresh' : 'rates.old')}</td>
                <td>{momentText(source.observedAt, language)}</td>
                <td className={`${css.small} ${css.wide}`}>{momentText(source.importedAt, language)}</td>
                <td className={css.right}>{source.count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const sourceName = (source: string, t: (key: string, options?: Record<string, unknown>) => string) =>
  t(`rates.sources.${source}`, { _: source });

function Observations({ rates }: { rates: Rates }) {
  const { t, language } = useWords();
  const [source, setSource] = useState(ALL);
  const rows = rates.observations.filter((row) => source === ALL || row.source === source);
  const options = [
    { value: ALL, label: t('rates.all') },
    ...rates.sources.map((found) => ({ value: found.source, label: sourceName(found.source, t) })),
  ];
  return (
    <>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('rates.observations')}</h2>
        <Segments label={t('rates.source')} value={source} onValue={setSource} options={options} />
      </div>
      <div className={css.wrap}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('rates.pair')}</th>
              <th scope="col" className={css.right}>
                {t('rates.bid')}
              </th>
              <th scope="col" className={css.right}>
                {t('rates.ask')}
              </th>
              <th scope="col" className={css.wide}>
                {t('rates.source')}
              </th>
              <th scope="col" className={css.wide}>
                {t('rates.observed')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.source}-${row.base}-${row.quote}`}>
                <td>
                  <strong>{row.base}</strong> / {row.quote}
                </td>
                <td className={`${css.right} figures`}>{amountText(row.bid, language)}</td>
                <td className={`${css.right} figures`}>{amountText(row.ask, language)}</td>
                <td className={css.wide}>{sourceName(row.source, t)}</td>
                <td className={`${css.small} ${css.wide}`}>{momentText(row.observedAt, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
