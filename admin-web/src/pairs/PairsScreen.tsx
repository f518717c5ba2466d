import type { Currency, Pair } from '@agio/client/admin';
import { useMediaQuery } from '@mui/material';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { useSearchParams } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { BulkBar } from './BulkBar.tsx';
import { countStates, type Filter, filtered } from './matrix.ts';
import { PairDrawer } from './PairDrawer.tsx';
import { PairList } from './PairList.tsx';
import { PairMatrix } from './PairMatrix.tsx';
import css from './Pairs.module.css';

const FRESH_MS = 10_000;
const FILTERS: Filter[] = ['all', 'crypto', 'bank', 'ewallet', 'cash', 'trouble'];

/** Every direction of the exchange at once: what is given down the side, what is got along the top. */
export default function PairsScreen() {
  const { t } = useWords();
  const pairs = useGetList<Pair>('pairs');
  const currencies = useGetList<Currency>('currencies');
  const error = pairs.error ?? currencies.error;
  return (
    <>
      {pairs.data && currencies.data ? (
        <Directions pairs={pairs.data} currencies={currencies.data} />
      ) : (
        <Page title={t('pairs.title')}>
          {error ? (
            <ErrorNote
              error={error}
              retry={() => {
                void pairs.refetch();
                void currencies.refetch();
              }}
            />
          ) : (
            <SkeletonRows height={48} />
          )}
        </Page>
      )}
    </>
  );
}

function Directions({ pairs, currencies }: { pairs: Pair[]; currencies: Currency[] }) {
  const { t } = useWords();
  const phone = useMediaQuery('(max-width: 760px)', { noSsr: true });
  const covers = useMediaQuery('(max-width: 1100px)', { noSsr: true });
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'pairs', action: 'edit' });
  const [params, setParams] = useSearchParams();
  const [filter, setFilter] = useState<Filter>('all');
  const [view, setView] = useState(phone ? 'list' : 'matrix');
  const [selected, setSelected] = useState<ReadonlySet<number> | null>(null);
  const { canAccess: seesStops = false } = useCanAccess({ resource: 'rateStops', action: 'read' });
  const { data: stops = [] } = useQuery({
    queryKey: KEYS.rateStops,
    queryFn: api.rateStops,
    refetchInterval: FRESH_MS,
    enabled: seesStops,
  });
  const causes = new Map(stops.map(({ pairId, cause }) => [pairId, cause]));
  const shown = filtered(pairs, currencies, filter);
  const open = pairs.find((pair) => String(pair.id) === params.get('pair')) ?? null;
  const choose = (pair: Pair) => {
    if (selected) setSelected(toggled(selected, [pair.id]));
    else setParams({ pair: String(pair.id) });
  };
  const kinds = new Set(currencies.map((currency) => currency.kind));
  const filters = FILTERS.filter((name) => name === 'all' || name === 'trouble' || kinds.has(name));
  return (
    <div className={open ? css.split : css.whole}>
      {!(open && covers) && (
        <div className={css.main}>
          <Page
            title={t('pairs.title')}
            line={<States pairs={pairs} />}
            actions={
              <>
                {mayEdit && (
                  <Button aria-pressed={selected !== null} onClick={() => setSelected(selected ? null : new Set())}>
                    {t(selected ? 'pairs.stopSelecting' : 'pairs.select')}
                  </Button>
                )}
                <Segments
                  label={t('pairs.view')}
                  value={view}
                  onValue={setView}
                  options={['matrix', 'list'].map((value) => ({ value, label: t(`pairs.views.${value}`) }))}
                />
              </>
            }
          >
            <div className={css.filters}>
              <Segments
                label={t('pairs.filter')}
                value={filter}
                onValue={(value) => setFilter(value as Filter)}
                options={filters.map((value) => ({ value, label: t(`pairs.filters.${value}`) }))}
              />
              {view === 'matrix' && <p className={css.hint}>{t('pairs.legend')}</p>}
            </div>
            {selected && <BulkBar pairs={pairs} ids={[...selected]} onDone={() => setSelected(null)} />}
            {shown.length === 0 && <EmptyNote title={t(`pairs.empty.${filter === 'trouble' ? 'trouble' : 'all'}`)} />}
            {shown.length > 0 && view === 'matrix' && (
              <PairMatrix
                pairs={shown}
                currencies={currencies}
                open={open?.id ?? null}
                selected={selected}
                causes={causes}
                onChoose={choose}
                onChooseMany={(ids) => selected && setSelected(toggled(selected, ids))}
              />
            )}
            {shown.length > 0 && view === 'list' && (
              <PairList pairs={shown} currencies={currencies} selected={selected} causes={causes} onChoose={choose} />
            )}
          </Page>
        </div>
      )}
      {open && (
        <PairDrawer
          key={open.id}
          pair={open}
          currencies={currencies}
          mayEdit={mayEdit}
          alone={covers}
          causes={causes}
          onClose={() => setParams({})}
        />
      )}
    </div>
  );
}

/** Adds all of them, or takes all of them away when all are in already. */
function toggled(selected: ReadonlySet<number>, ids: number[]): ReadonlySet<number> {
  const after = new Set(selected);
  const all = ids.every((id) => selected.has(id));
  for (const id of ids) {
    if (all) after.delete(id);
    else after.add(id);
  }
  return after;
}

function States({ pairs }: { pairs: Pair[] }) {
  const { t } = useWords();
  const { ok, trouble, off } = countStates(pairs);
  return (
    <>
      {t('pairs.working', { smart_count: ok })}
      {trouble > 0 && <strong className={css.bad}>, {t('pairs.standing', { smart_count: trouble })}</strong>}
      {off > 0 && `, ${t('pairs.hidden', { smart_count: off })}`}
    </>
  );
}
