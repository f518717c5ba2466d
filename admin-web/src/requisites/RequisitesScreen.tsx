import type { Currency, PoolRequisite } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { api } from '../api/api.ts';
import { Amount } from '../ui/Amount.tsx';
import { CopyButton, Groups } from '../ui/Copy.tsx';
import { compare, share } from '../ui/decimal.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { RequisiteDialog } from './RequisiteDialog.tsx';

/** Where customers are told to pay: the pool each claim takes its requisite from. */
export default function RequisitesScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useGetList<PoolRequisite>('requisites');
  const { data: currencies = [] } = useGetList<Currency>('currencies');
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'requisites', action: 'edit' });
  const [editing, setEditing] = useState<PoolRequisite | 'new' | null>(null);
  return (
    <Page
      title={t('requisites.title')}
      line={t('requisites.line')}
      actions={mayEdit && <Button onClick={() => setEditing('new')}>{t('requisites.add')}</Button>}
    >
      {isPending && <SkeletonRows height={46} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <EmptyNote title={t('requisites.empty')} text={t('requisites.emptyText')} />}
      {data && data.length > 0 && (
        <PoolTable rows={data} currencies={currencies} onEdit={mayEdit ? setEditing : null} />
      )}
      {editing && (
        <RequisiteDialog
          requisite={editing === 'new' ? null : editing}
          currencies={currencies}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}

function PoolTable({
  rows,
  currencies,
  onEdit,
}: {
  rows: PoolRequisite[];
  currencies: Currency[];
  onEdit: ((row: PoolRequisite) => void) | null;
}) {
  const { t } = useWords();
  const told = useOutcome();
  const set = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) => api.updateRequisite(id, { enabled }),
    onSuccess: (outcome, { enabled }) =>
      told(outcome, t(enabled ? 'requisites.nowOn' : 'requisites.nowOff'), ['requisites']),
  });
  const codeOf = (id: number) => currencies.find((currency) => currency.id === id)?.code ?? `#${id}`;
  return (
    <>
      <Refusal error={set.error} />
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('requisites.currency')}</th>
              <th scope="col">{t('requisites.value')}</th>
              <th scope="col" className={css.wide}>
                {t('requisites.today')}
              </th>
              <th scope="col" className={css.wide}>
                {t('requisites.lastUsed')}
              </th>
              <th scope="col">{t('requisites.given')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('requisites.edit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.id}
                row={row}
                code={codeOf(row.currencyId)}
                onSwitch={onEdit && ((enabled) => set.mutate({ id: row.id, enabled }))}
                onEdit={onEdit && (() => onEdit(row))}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({
  row,
  code,
  onSwitch,
  onEdit,
}: {
  row: PoolRequisite;
  code: string;
  onSwitch: ((enabled: boolean) => void) | null;
  onEdit: (() => void) | null;
}) {
  const { t, language } = useWords();
  return (
    <tr className={row.enabled ? undefined : css.off}>
      <td>
        <strong>{code}</strong>
      </td>
      <td className={css.full}>
        <span className={css.footer}>
          <span>
            <Groups value={row.value} />
            {row.holder && <span className={css.small}>{row.holder}</span>}
            {row.memo && <span className={css.small}> memo {row.memo}</span>}
          </span>
          <CopyButton value={row.value} label={code} />
        </span>
      </td>
      <td className={css.wide}>
        <Taken row={row} />
      </td>
      <td className={`${css.small} ${css.wide}`}>
        {row.lastUsedAt ? momentText(row.lastUsedAt, language) : t('requisites.never')}
      </td>
      <td>
        <Toggle
          hidden
          label={t('requisites.givenLabel', { code })}
          value={row.enabled}
          disabled={!onSwitch}
          onValue={(enabled) => onSwitch?.(enabled)}
        />
      </td>
      <td className={css.actions}>
        {onEdit && (
          <Button onClick={onEdit} aria-label={`${t('requisites.edit')}: ${row.value}`}>
            {t('requisites.edit')}
          </Button>
        )}
      </td>
    </tr>
  );
}

function Taken({ row }: { row: PoolRequisite }) {
  const { t } = useWords();
  const { takenToday, dailyLimit } = row;
  if (dailyLimit === null) {
    return (
      <>
        <Amount value={takenToday} /> <span className={css.small}>{t('requisites.noLimit')}</span>
      </>
    );
  }
  const full = compare(takenToday, dailyLimit) >= 0;
  return (
    <>
      <Amount value={takenToday} /> <span className={css.small}>{t('requisites.of')}</span>{' '}
      <Amount value={dailyLimit} />
      <span className={css.gauge} aria-hidden="true">
        <span className={full ? css.low : css.level} style={{ width: `${share(takenToday, dailyLimit) * 100}%` }} />
      </span>
    </>
  );
}
