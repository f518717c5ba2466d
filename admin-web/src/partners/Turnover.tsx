import type { PartnerTurnover } from '@agio/client/admin';
import { Amount } from '../ui/Amount.tsx';
import { Sum } from '../ui/Sum.tsx';
import table from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import css from './Partners.module.css';

/** What was exchanged through a partner, by direction. */
export function Turnover({ rows }: { rows: PartnerTurnover[] }) {
  const { t } = useWords();
  if (rows.length === 0) return <p className={css.muted}>{t('partners.noTurnover')}</p>;
  return (
    <div className={table.wrap}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('partners.direction')}</th>
            <th scope="col" className={table.right}>
              {t('partners.claims')}
            </th>
            <th scope="col" className={table.right}>
              {t('partners.completed')}
            </th>
            <th scope="col" className={table.right}>
              {t('partners.open')}
            </th>
            <th scope="col" className={table.right}>
              {t('partners.sent')}
            </th>
            <th scope="col" className={table.right}>
              {t('partners.received')}
            </th>
            <th scope="col" className={table.right}>
              {t('partners.earned')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.from}-${row.to}`}>
              <td className={`${table.whole} ${table.full}`}>
                {row.from} → {row.to}
              </td>
              <td className={table.right} data-label={t('partners.claims')}>
                {row.claims}
              </td>
              <td className={table.right} data-label={t('partners.completed')}>
                {row.completed}
              </td>
              <td className={table.right} data-label={t('partners.open')}>
                {row.open}
              </td>
              <td className={table.right} data-label={t('partners.sent')}>
                <Sum value={row.sent} code={row.from} />
              </td>
              <td className={table.right} data-label={t('partners.received')}>
                <Sum value={row.received} code={row.to} />
              </td>
              <td className={table.right} data-label={t('partners.earned')}>
                <Amount value={row.earned} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
