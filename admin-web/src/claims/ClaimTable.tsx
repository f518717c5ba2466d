import { useEffect, useRef } from 'react';
import { Link, useNavigate } from 'react-router';
import { useNow } from '../ui/clock.ts';
import { Amount, Badge, Button, Fuse, Track, useTexts } from '../ui/index.ts';
import { arrivals } from './arrivals.ts';
import css from './ClaimTable.module.css';
import type { ClaimRow, ClaimSide } from './types.ts';

type Props = {
  rows: ClaimRow[];
  selected: string | null;
  cursor: string | null;
  me?: string | number;
  stale: boolean;
  search: string;
  more: (() => void) | null;
  loadingMore: boolean;
};

export function ClaimTable({ rows, selected, cursor, me, stale, search, more, loadingMore }: Props) {
  const { t } = useTexts();
  return (
    <>
      <table className={stale ? `${css.table} ${css.stale}` : css.table}>
        <thead className={css.head}>
          <tr>
            <th scope="col">{t('claims.number')}</th>
            <th scope="col">{t('fields.state')}</th>
            <th scope="col" className={css.sum}>
              {t('fields.gives')}
            </th>
            <th scope="col" className={css.sum}>
              {t('fields.receives')}
            </th>
            <th scope="col" className={css.client}>
              {t('things.customer')}
            </th>
            <th scope="col" className={css.age}>
              {t('fields.age')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('claims.holder')}</span>
            </th>
            <th scope="col" className={css.due}>
              {t('claims.due')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={row.id}
              row={row}
              me={me}
              to={`/claims/${row.id}${search}`}
              isSelected={row.id === selected}
              isCursor={row.id === cursor}
              isNew={arrivals.isNew(row)}
            />
          ))}
        </tbody>
      </table>
      {more && (
        <div className={css.more}>
          <Button onClick={more} disabled={loadingMore}>
            {t(loadingMore ? 'state.loading' : 'action.more')}
          </Button>
        </div>
      )}
    </>
  );
}

type RowProps = {
  row: ClaimRow;
  me?: string | number;
  to: string;
  isSelected: boolean;
  isCursor: boolean;
  isNew: boolean;
};

function Row({ row, me, to, isSelected, isCursor, isNew }: RowProps) {
  const { t } = useTexts();
  const navigate = useNavigate();
  const line = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isCursor) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isCursor]);
  const look = [css.row, isCursor && css.cursor, isSelected && css.selected, isNew && css.fresh];
  return (
    <tr ref={line} className={look.filter(Boolean).join(' ')} onClick={() => navigate(to)}>
      <td className={css.number}>
        <Link to={to} aria-current={isSelected ? 'true' : undefined} onClick={(event) => event.stopPropagation()}>
          {row.publicId}
        </Link>
      </td>
      <td className={css.state}>
        <span className={css.stateText}>
          <Track step={row.step} turn={row.turn} />
          <span className={row.turn === 'trouble' ? css.trouble : css.name}>{t(`status.${row.status}`)}</span>
          {isNew && <span className={css.tag}>{t('claims.new')}</span>}
        </span>
      </td>
      <SideCell side={row.from} className={css.from} />
      <SideCell side={row.to} className={css.to} paid={row.paidOut?.paid} />
      <td className={css.client} title={row.email}>
        {row.email}
      </td>
      <td className={css.age}>
        <Age since={row.createdAt} />
      </td>
      <td className={css.holder}>{row.holder && <Badge name={row.holder.name} mine={row.holder.id === me} />}</td>
      <td className={css.due}>
        {row.turn === 'done' ? <Age since={row.updatedAt} /> : <Fuse dueAt={row.dueAt} since={row.updatedAt} />}
      </td>
    </tr>
  );
}

type SideProps = {
  side: ClaimSide;
  className?: string;
  /** The part of it that has left, where it left in parts. */
  paid?: string;
};

function SideCell({ side, className, paid }: SideProps) {
  const { t, amountText } = useTexts();
  const network = side.network !== side.ticker ? side.network : '';
  return (
    <td className={`${css.side} ${className}`}>
      <span className={css.sideGrid}>
        <Amount value={side.amount} column />
        <span className={css.currency} title={network && `${side.ticker} ${network}`}>
          {side.ticker} {network && <small>{network}</small>}
        </span>
      </span>
      {paid && <small className={css.part}>{t('claims.part', { paid: amountText(paid) })}</small>}
    </td>
  );
}

function Age({ since }: { since: string }) {
  const { ageText } = useTexts();
  const now = useNow();
  return <>{ageText(now - Date.parse(since))}</>;
}
