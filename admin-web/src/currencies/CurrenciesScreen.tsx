import type { Currency } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { Amount } from '../ui/Amount.tsx';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { CurrencyDialog } from './CurrencyDialog.tsx';

/** What the exchange trades in, in the order customers see it. */
export default function CurrenciesScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useGetList<Currency>('currencies');
  const [editing, setEditing] = useState<number | null>(null);
  const rows = [...(data ?? [])].sort((a, b) => a.position - b.position);
  const chosen = rows.find((row) => row.id === editing);
  return (
    <Page title={t('currencies.title')} line={data && t('currencies.line', { smart_count: rows.length })}>
      {isPending && <SkeletonRows height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <EmptyNote title={t('currencies.empty')} />}
      {rows.length > 0 && <CurrencyTable rows={rows} onEdit={setEditing} />}
      {chosen && <CurrencyDialog currency={chosen} onClose={() => setEditing(null)} />}
    </Page>
  );
}

function CurrencyTable({ rows, onEdit }: { rows: Currency[]; onEdit: (id: number) => void }) {
  const { t, language } = useWords();
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'currencies', action: 'edit' });
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('currencies.code')}</th>
            <th scope="col">{t('currencies.name')}</th>
            <th scope="col" className={css.wide}>
              {t('currencies.kind')}
            </th>
            <th scope="col">{t('currencies.open')}</th>
            <th scope="col" className={css.wide}>
              {t('currencies.round')}
            </th>
            <th scope="col" className={`${css.right} ${css.wide}`}>
              {t('currencies.reserve')}
            </th>
            <th scope="col">
              <span className="visually-hidden">{t('currencies.edit')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <strong>{row.code}</strong>
              </td>
              <td className={css.end}>
                {row.name[language]}{' '}
                {!row.name[language].includes(row.network) && <span className={css.small}>{row.network}</span>}
              </td>
              <td className={css.wide}>{t(`currencies.kinds.${row.kind}`)}</td>
              <td className={row.send && row.receive ? css.whole : `${css.whole} ${css.bad}`}>
                {t(`currencies.${openTo(row)}`)}
              </td>
              <td className={css.wide}>{row.roundCalculator}</td>
              <td className={css.wide}>
                <Amount value={row.reserve} column />
              </td>
              <td className={css.actions}>
                {mayEdit && (
                  <Button onClick={() => onEdit(row.id)} aria-label={`${t('currencies.edit')}: ${row.code}`}>
                    {t('currencies.edit')}
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

function openTo({ send, receive }: Currency): string {
  if (send && receive) return 'both';
  if (send) return 'sendOnly';
  return receive ? 'receiveOnly' : 'neither';
}
