import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { List, type ListFrame } from './List.tsx';
import css from './Table.module.css';
import { useTexts } from './useTexts.ts';

/** How a cell looks. `wide` leaves on phones, `spare` from a narrow table; `full` takes a phone's whole line there, `end` the right edge. */
type Look = 'right' | 'wide' | 'spare' | 'full' | 'end' | 'small' | 'muted' | 'bad' | 'whole' | 'actions';

export type Column<Row> = {
  head: string;
  /** The heading is for screen readers only, as over buttons. */
  headHidden?: boolean;
  cell: (row: Row) => ReactNode;
  look?: Look[];
  /** A number: to the right, and named on phones. */
  number?: boolean;
  /** Looks that depend on the row. */
  lookOf?: (row: Row) => Look | false | null | undefined;
  /** Another class of the screen's own. */
  className?: string;
  /** On phones, where headings go, the cell names itself. */
  label?: boolean;
  /** The cell's content is the button that opens the row. */
  opens?: boolean;
  /** What stands beneath the content, in red. */
  note?: (row: Row) => ReactNode;
};

/** A button at the end of each row. */
type RowButton<Row> = {
  label: string | ((row: Row) => string);
  /** Over the column, where the label depends on the row. */
  head?: string;
  /** What the button is for, added to its label for screen readers. */
  name?: (row: Row) => string | number;
  isShown?: (row: Row) => boolean;
  onClick: (row: Row) => void;
};

function buttonColumn<Row>({ label, head, name, isShown, onClick }: RowButton<Row>): Column<Row> {
  return {
    head: head ?? (typeof label === 'string' ? label : ''),
    headHidden: true,
    look: ['actions'],
    cell: (row) => {
      if (isShown && !isShown(row)) return null;
      const text = typeof label === 'string' ? label : label(row);
      return (
        <Button onClick={() => onClick(row)} aria-label={name && `${text}: ${name(row)}`}>
          {text}
        </Button>
      );
    },
  };
}

type Props<Row> = ListFrame<Row> & {
  button?: RowButton<Row> | false | null;
  /** More than a button at the end of each row; it may differ from row to row. */
  buttons?: ((row: Row) => ReactNode) | false;
  columns: (Column<Row> | false | null)[];
  rowKey: (row: Row) => string | number;
  isOff?: (row: Row) => boolean;
  /** Opens a row: by its button, and by a click anywhere on it. */
  onOpen?: (row: Row) => void;
  /** The row that is open beside the table; its button is expanded. */
  isOpen?: (row: Row) => boolean;
  /** Without cards on phones: a table that is narrow anyway. */
  plain?: boolean;
  noHead?: boolean;
};

/** The looks of a cell that its heading shares. */
const HEAD_LOOKS: Look[] = ['right', 'wide', 'spare'];

const looks = (...names: (string | false | null | undefined)[]): string | undefined =>
  names
    .filter(Boolean)
    .map((name) => css[name as Look] ?? name)
    .join(' ') || undefined;

/** Whether a click fell on the row itself, not on something within it that acts on its own. */
const isPlain = (target: EventTarget): boolean =>
  !(target instanceof Element && target.closest('a, button, input, label'));

/** A list as a table, and as cards on a phone. */
export function DataTable<Row>({
  columns,
  button,
  buttons,
  rowKey,
  isOff,
  onOpen,
  isOpen,
  plain,
  noHead,
  ...frame
}: Props<Row>) {
  const { t } = useTexts();
  const more: Column<Row> | false | undefined = buttons && {
    head: t('fields.actions'),
    headHidden: true,
    look: ['actions', 'full'],
    cell: buttons,
  };
  const shown = [...columns, button && buttonColumn(button), more].filter((column): column is Column<Row> =>
    Boolean(column),
  );
  return (
    <List {...frame}>
      {(rows) => (
        <div className={css.wrap}>
          <table className={plain ? css.table : `${css.table} ${css.stacks}`}>
            {!noHead && (
              <thead>
                <tr>
                  {shown.map(({ head, headHidden, look = [], number }) => (
                    <th
                      key={head}
                      scope="col"
                      className={looks(number && 'right', ...look.filter((one) => HEAD_LOOKS.includes(one)))}
                    >
                      {headHidden ? <span className="visually-hidden">{head}</span> : head}
                    </th>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {rows.map((row) => {
                const open = onOpen && (() => onOpen(row));
                return (
                  <tr
                    key={rowKey(row)}
                    className={looks(isOff?.(row) && css.off, isOpen?.(row) && css.chosen, open && css.choosing)}
                    onClick={open && ((event) => isPlain(event.target) && open())}
                  >
                    {shown.map(({ head, cell, look = [], lookOf, number, className, label = number, opens, note }) => (
                      <td
                        key={head}
                        className={looks(number && 'right', ...look, lookOf?.(row), className)}
                        data-label={label ? head : undefined}
                      >
                        {opens && open ? (
                          <button type="button" className={css.opener} aria-expanded={isOpen?.(row)} onClick={open}>
                            {cell(row)}
                          </button>
                        ) : (
                          cell(row)
                        )}
                        {note?.(row) && <span className={css.fault}>{note(row)}</span>}
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </List>
  );
}
