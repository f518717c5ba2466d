import { type KeyboardEvent, useRef, useState } from 'react';
import { useTexts } from '../ui/index.ts';
import {
  byCurrencies,
  type Causes,
  type Currency,
  currenciesOn,
  type Pair,
  readableRate,
  stateText,
} from './matrix.ts';
import css from './Pairs.module.css';

type Props = {
  pairs: Pair[];
  currencies: Currency[];
  open: number | null;
  selected: ReadonlySet<number> | null;
  onChoose: (pair: Pair) => void;
  causes: Causes;
  onChooseMany: (ids: number[]) => void;
  /** Creates the pair of a cell that has none, or those of a row or column; without it such cells and heads are dead. */
  missing: ((giveId: number | 'all', receiveId: number | 'all') => void) | null;
  /** Pairs that exist and have no cell here. */
  hidden: Pair[];
};

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** The grid of directions. One cell is in the tab order; arrows move between the others. */
export function PairMatrix({
  pairs,
  currencies,
  open,
  selected,
  causes,
  onChoose,
  onChooseMany,
  missing,
  hidden,
}: Props) {
  const { t } = useTexts();
  const table = useRef<HTMLTableElement>(null);
  // A currency without pairs is shown where one can be created.
  const rows = missing ? currencies : currenciesOn(currencies, pairs, 'giveId');
  const columns = missing ? currencies : currenciesOn(currencies, pairs, 'receiveId');
  const cells = byCurrencies(pairs);
  const taken = byCurrencies(hidden);
  const isFree = (give?: Currency, receive?: Currency) =>
    missing !== null && give?.id !== receive?.id && !taken.has(`${give?.id}-${receive?.id}`);
  const has = (y: number, x: number) => cells.has(`${rows[y]?.id}-${columns[x]?.id}`) || isFree(rows[y], columns[x]);
  const [at, setAt] = useState<[number, number] | null>(null);
  const first = firstCell(rows.length, columns.length, has);
  const current = at ?? first;

  const move = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    if (!arrow || !current) return;
    event.preventDefault();
    const next = nextCell(rows.length, columns.length, has, current, arrow);
    if (!next) return;
    setAt(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.join('-')}"]`)?.focus();
  };

  return (
    <div className={css.scroll}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of cells to move between is a grid. */}
      <table ref={table} className={css.matrix} role="grid" aria-label={t('screens.pairs')} onKeyDown={move}>
        <thead>
          <tr>
            <th scope="col" className={css.corner}>
              {t('pairs.gives')}
            </th>
            {columns.map((column) => (
              <th key={column.id} scope="col">
                <Head
                  currency={column}
                  ids={selected ? pairs.filter((pair) => pair.receiveId === column.id).map((pair) => pair.id) : null}
                  onChooseMany={onChooseMany}
                  createTitle={t('newPairs.column', { code: column.code })}
                  onCreate={missing && (() => missing('all', column.id))}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, y) => (
            <tr key={row.id}>
              <th scope="row">
                <Head
                  currency={row}
                  ids={selected ? pairs.filter((pair) => pair.giveId === row.id).map((pair) => pair.id) : null}
                  onChooseMany={onChooseMany}
                  createTitle={t('newPairs.row', { code: row.code })}
                  onCreate={missing && (() => missing(row.id, 'all'))}
                />
              </th>
              {columns.map((column, x) => (
                <Cell
                  key={column.id}
                  pair={cells.get(`${row.id}-${column.id}`)}
                  name={`${row.code} → ${column.code}`}
                  place={`${y}-${x}`}
                  inTabOrder={current?.[0] === y && current[1] === x}
                  isOpen={open !== null && cells.get(`${row.id}-${column.id}`)?.id === open}
                  selected={selected}
                  causes={causes}
                  onChoose={(pair) => {
                    setAt([y, x]);
                    onChoose(pair);
                  }}
                  onCreate={isFree(row, column) ? () => missing?.(row.id, column.id) : null}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Has = (y: number, x: number) => boolean;

function firstCell(rows: number, columns: number, has: Has): [number, number] | null {
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      if (has(y, x)) return [y, x];
    }
  }
  return null;
}

/** The nearest cell in the direction of an arrow that can be pressed. */
function nextCell(
  rows: number,
  columns: number,
  has: Has,
  from: [number, number],
  by: [number, number],
): [number, number] | null {
  let [y, x] = [from[0] + by[0], from[1] + by[1]];
  while (y >= 0 && x >= 0 && y < rows && x < columns) {
    if (has(y, x)) return [y, x];
    [y, x] = [y + by[0], x + by[1]];
  }
  return null;
}

type HeadProps = {
  currency: Currency;
  /** Its pairs, where pairs are selected. */
  ids: number[] | null;
  onChooseMany: (ids: number[]) => void;
  createTitle: string;
  onCreate: (() => void) | null;
};

/** The currency of a row or column: selects its pairs, or creates those that are missing. */
function Head({ currency, ids, onChooseMany, createTitle, onCreate }: HeadProps) {
  const name = (
    <>
      <strong>{currency.ticker}</strong>
      <small>{currency.network !== currency.ticker && currency.network}</small>
    </>
  );
  if (ids) {
    return (
      <button type="button" className={css.headButton} onClick={() => onChooseMany(ids)}>
        {name}
      </button>
    );
  }
  if (!onCreate) return <span className={css.head}>{name}</span>;
  return (
    <button type="button" className={css.headButton} title={createTitle} onClick={onCreate}>
      {name}
      <span className="visually-hidden">: {createTitle}</span>
    </button>
  );
}

type CellProps = {
  pair: Pair | undefined;
  name: string;
  place: string;
  inTabOrder: boolean;
  isOpen: boolean;
  selected: ReadonlySet<number> | null;
  causes: Causes;
  onChoose: (pair: Pair) => void;
  onCreate: (() => void) | null;
};

function Cell({ pair, name, place, inTabOrder, isOpen, selected, causes, onChoose, onCreate }: CellProps) {
  const { t } = useTexts();
  if (!pair) {
    return (
      <td className={css.none}>
        {onCreate && (
          <button
            type="button"
            data-cell={place}
            className={css.create}
            tabIndex={inTabOrder ? 0 : -1}
            aria-label={t('newPairs.one', { name })}
            title={t('newPairs.one', { name })}
            onClick={onCreate}
          />
        )}
      </td>
    );
  }
  const chosen = selected?.has(pair.id) ?? false;
  const look = [css.cell, css[pair.state], isOpen && css.isOpen, chosen && css.changing];
  return (
    <td className={look.filter(Boolean).join(' ')}>
      <button
        type="button"
        data-cell={place}
        className={css.button}
        tabIndex={inTabOrder ? 0 : -1}
        aria-pressed={selected ? chosen : undefined}
        onClick={() => onChoose(pair)}
      >
        <span className="visually-hidden">
          {name}, {t(`pairState.${stateText(pair, causes)}`)}:{' '}
        </span>
        <CellContent pair={pair} state={stateText(pair, causes)} />
      </button>
    </td>
  );
}

function CellContent({ pair, state }: { pair: Pair; state: ReturnType<typeof stateText> }) {
  const { t, amountText } = useTexts();
  if (pair.state === 'off' || pair.rate === null) {
    return <span className={css.word}>{t(`pairs.stateShort.${state}`)}</span>;
  }
  const { text, inverted } = readableRate(pair.rate);
  return (
    <>
      <span className={pair.source === 'manual' ? css.manual : css.course}>
        {inverted && <span className={css.over}>1/</span>}
        {amountText(text)}
      </span>
      <span className={css.under}>
        <span>{pair.state === 'ok' ? '' : t(`pairs.stateShort.${state}`)}</span>
        <span>{amountText(pair.spreadPercent)}</span>
      </span>
    </>
  );
}
