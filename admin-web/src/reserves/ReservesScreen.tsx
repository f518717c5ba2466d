import type { Reserve } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { useSearchParams } from 'react-router';
import { Amount } from '../ui/Amount.tsx';
import { compare, isZero, share } from '../ui/decimal.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { MovementDialog } from './MovementDialog.tsx';
import { Movements } from './Movements.tsx';

type Row = Reserve & { id: number };

/** What the exchange can pay out of, and how each reserve came to be what it is. */
export default function ReservesScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useGetList<Row>('reserves');
  const [params, setParams] = useSearchParams();
  const { canAccess: mayMove = false } = useCanAccess({ resource: 'reserves', action: 'edit' });
  const [moving, setMoving] = useState<Row | null>(null);
  const chosen = data?.find((row) => String(row.currencyId) === params.get('currency'));
  const low = data?.filter((row) => compare(row.available, row.floor) < 0).length ?? 0;
  const choose = (row: Row | null) => setParams(row ? { currency: String(row.currencyId) } : {});
  return (
    <Page title={t('reserves.title')} line={data && t('reserves.line', { smart_count: low })}>
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <EmptyNote title={t('reserves.empty')} />}
      {data && data.length > 0 && (
        <div className={`${css.columns} ${chosen ? css.withAside : ''}`}>
          <ReserveTable rows={data} chosen={chosen ?? null} onChoose={choose} onMove={mayMove ? setMoving : null} />
          {chosen && (
            <Movements
              key={chosen.currencyId}
              reserve={chosen}
              onMove={mayMove ? () => setMoving(chosen) : null}
              onClose={() => choose(null)}
            />
          )}
        </div>
      )}
      {moving && <MovementDialog reserve={moving} onClose={() => setMoving(null)} />}
    </Page>
  );
}

function ReserveTable({
  rows,
  chosen,
  onChoose,
  onMove,
}: {
  rows: Row[];
  chosen: Row | null;
  onChoose: (row: Row) => void;
  onMove: ((row: Row) => void) | null;
}) {
  const { t, language } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('reserves.currency')}</th>
            <th scope="col" className={css.right}>
              {t('reserves.available')}
            </th>
            <th scope="col" className={`${css.right} ${css.wide}`}>
              {t('reserves.held')}
            </th>
            <th scope="col" className={css.wide}>
              {t('reserves.floor')}
            </th>
            <th scope="col" className={css.wide}>
              {t('reserves.updated')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('reserves.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.currencyId} className={row === chosen ? css.chosen : undefined}>
              <td>
                <strong>{row.code}</strong>
              </td>
              <td className={compare(row.available, row.floor) < 0 ? css.bad : undefined}>
                <Amount value={row.available} column />
              </td>
              <td className={css.wide}>
                {isZero(row.held) ? (
                  <span className="visually-hidden">{t('reserves.nothing')}</span>
                ) : (
                  <Amount value={row.held} column />
                )}
              </td>
              <td className={css.wide}>
                <Floor row={row} />
              </td>
              <td className={`${css.small} ${css.wide}`}>{row.updatedAt && momentText(row.updatedAt, language)}</td>
              <td className={`${css.actions} ${css.full}`}>
                <Button
                  variant="text"
                  onClick={() => onChoose(row)}
                  aria-label={`${t('reserves.movements')}: ${row.code}`}
                >
                  {t('reserves.movements')}
                </Button>
                {onMove && (
                  <Button onClick={() => onMove(row)} aria-label={`${t('reserves.move')}: ${row.code}`}>
                    {t('reserves.move')}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How the free reserve stands to its floor; a full bar is the floor and more. */
function Floor({ row }: { row: Row }) {
  const low = compare(row.available, row.floor) < 0;
  return (
    <>
      <Amount value={row.floor} />
      <span className={css.gauge} aria-hidden="true">
        <span className={low ? css.low : css.level} style={{ width: `${share(row.available, row.floor) * 100}%` }} />
      </span>
    </>
  );
}
