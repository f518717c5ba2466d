import { useMediaQuery } from '@mui/material';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { useSearchParams } from 'react-router';
import { useList, useMayEdit } from '../api/index.ts';
import { TableDialog } from '../currencies/TableDialog.tsx';
import { NoCurrencies } from '../setup/NoCurrencies.tsx';
import { Button, EmptyNote, ErrorNote, Page, Segments, SkeletonRows, useTexts } from '../ui/index.ts';
import { BulkBar } from './BulkBar.tsx';
import { type Currency, countStates, type Filter, filtered, type Pair, pairsBetween } from './matrix.ts';
import { type Ends, NewPairs } from './NewPairs.tsx';
import { PairDrawer } from './PairDrawer.tsx';
import { PairList } from './PairList.tsx';
import { PairMatrix } from './PairMatrix.tsx';
import css from './Pairs.module.css';

const REFRESH_MS = 10_000;
const VIEWS = ['matrix', 'list'] as const;
const FILTERS: Filter[] = ['all', 'crypto', 'bank', 'ewallet', 'cash', 'trouble', 'archived'];

/** All directions: give currencies by row, receive currencies by column. */
export default function PairsScreen() {
  const { t } = useTexts();
  const pairs = useList('/pairs');
  const currencies = useList('/currencies');
  const error = pairs.error ?? currencies.error;
  return (
    <>
      {!pairs.isPending && !currencies.isPending && !error ? (
        <Directions pairs={pairs.rows} currencies={currencies.rows} />
      ) : (
        <Page title={t('screens.pairs')}>
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

/** The parameter that opens the dialog for new directions: empty, or the currencies of its two sides. */
const NEW = 'new';
const ALL = 'all';
/** The pair whose terms they begin with. */
const LIKE = 'like';

function Directions({ pairs: all, currencies }: { pairs: Pair[]; currencies: Currency[] }) {
  const { t } = useTexts();
  const phone = useMediaQuery('(max-width: 760px)', { noSsr: true });
  const covers = useMediaQuery('(max-width: 1100px)', { noSsr: true });
  const mayEdit = useMayEdit('pairs');
  const [params, setParams] = useSearchParams();
  const [filter, setFilter] = useState<Filter>('all');
  const [view, setView] = useState<(typeof VIEWS)[number]>(phone ? 'list' : 'matrix');
  const [table, setTable] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<number> | null>(null);
  const { canAccess: mayRead = false } = useCanAccess({ resource: 'rateStops', action: 'read' });
  const suspensions = useList('/rates/suspensions', { refetchInterval: REFRESH_MS, enabled: mayRead }).rows;
  const causes = new Map(suspensions.map(({ pairId, cause }) => [pairId, cause]));
  const offered = currencies.filter(({ archived }) => !archived).sort((a, b) => a.position - b.position);
  const known = pairsBetween(all, offered);
  const pairs = known.filter(({ archived }) => !archived);
  const archived = known.filter((pair) => pair.archived);
  const shown = filtered(known, currencies, filter);
  const creating = mayEdit && offered.length > 1 ? params.get(NEW) : null;
  const open = all.find((pair) => String(pair.id) === params.get('pair')) ?? null;
  const choose = (pair: Pair) => {
    if (selected) setSelected(toggled(selected, [pair.id]));
    else setParams({ pair: String(pair.id) });
  };
  const create = (...ids: (number | typeof ALL)[]) => setParams({ [NEW]: ids.join('-') });
  const like = all.find((pair) => String(pair.id) === params.get(LIKE)) ?? null;
  const kinds = new Set(currencies.map((currency) => currency.kind));
  const filters = FILTERS.filter((name) => {
    if (name === 'archived') return archived.length > 0 || filter === name;
    return name === 'all' || name === 'trouble' || kinds.has(name);
  });
  return (
    <div className={open ? css.split : css.whole}>
      {!(open && covers) && (
        <div className={css.main}>
          <Page
            title={t('screens.pairs')}
            line={pairs.length > 0 && <States pairs={pairs} />}
            actions={
              known.length > 0 && (
                <>
                  {mayEdit && (
                    <>
                      <Button onClick={() => create()}>{t('newPairs.title')}</Button>
                      <Button onClick={() => setTable(true)}>{t('marketTable.open')}</Button>
                      <Button aria-pressed={selected !== null} onClick={() => setSelected(selected ? null : new Set())}>
                        {t(selected ? 'pairs.stopSelecting' : 'pairs.select')}
                      </Button>
                    </>
                  )}
                  <Segments
                    label={t('pairs.view')}
                    value={view}
                    onValue={setView}
                    options={VIEWS.map((value) => ({ value, label: t(`pairs.views.${value}`) }))}
                  />
                </>
              )
            }
          >
            {known.length > 0 && (
              <div className={css.filters}>
                <Segments
                  label={t('pairs.filter')}
                  value={filter}
                  onValue={setFilter}
                  options={filters.map((value) => ({ value, label: t(`pairs.filters.${value}`) }))}
                />
                {view === 'matrix' && <p className={css.hint}>{t('pairs.legend')}</p>}
              </div>
            )}
            {selected && (
              <BulkBar
                pairs={known}
                currencies={currencies}
                ids={selected}
                onAll={() => setSelected(new Set(shown.map(({ id }) => id)))}
                onDone={() => setSelected(null)}
              />
            )}
            {known.length === 0 && <NoPairs currencies={offered.length} onCreate={mayEdit ? () => create() : null} />}
            {known.length > 0 && shown.length === 0 && (
              <EmptyNote title={t(`pairs.empty.${filter === 'trouble' || filter === 'archived' ? filter : 'all'}`)} />
            )}
            {shown.length > 0 && view === 'matrix' && (
              <PairMatrix
                pairs={shown}
                currencies={offered}
                missing={mayEdit && !selected && filter === 'all' ? create : null}
                hidden={archived}
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
          onLike={() => setParams({ [NEW]: `${open.giveId}-`, [LIKE]: String(open.id) })}
          onClose={() => setParams({})}
        />
      )}
      {table && <TableDialog table="pairs" onClose={() => setTable(false)} />}
      {creating !== null && (
        <NewPairs
          key={creating}
          currencies={offered}
          pairs={all}
          initial={endsOf(creating, offered)}
          like={like}
          onClose={() => setParams({})}
        />
      )}
    </div>
  );
}

/** The currencies that a parameter names: one, all but that of the other side, or none. */
function endsOf(text: string, currencies: Currency[]): Ends {
  const [give = '', receive = ''] = text.split('-');
  const ids = (side: string, other: string) =>
    currencies.map(({ id }) => id).filter((id) => (side === ALL ? String(id) !== other : String(id) === side));
  return { giveIds: ids(give, receive), receiveIds: ids(receive, give) };
}

/** What comes first where there are no pairs: two currencies, then a pair of them. */
function NoPairs({ currencies, onCreate }: { currencies: number; onCreate: (() => void) | null }) {
  const { t } = useTexts();
  if (currencies < 2) return <NoCurrencies title={t('newPairs.first')} text={t('newPairs.two')} />;
  return (
    <EmptyNote title={t('newPairs.first')} text={t('newPairs.firstText')}>
      {onCreate && (
        <Button variant="contained" onClick={onCreate}>
          {t('newPairs.title')}
        </Button>
      )}
    </EmptyNote>
  );
}

/** Adds all of them, or removes them when all are selected. */
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
  const { t } = useTexts();
  const { ok, trouble, off } = countStates(pairs);
  return (
    <>
      {t('pairs.working', { smart_count: ok })}
      {trouble > 0 && <strong className={css.bad}>, {t('pairs.suspended', { smart_count: trouble })}</strong>}
      {off > 0 && `, ${t('pairs.hidden', { smart_count: off })}`}
    </>
  );
}
