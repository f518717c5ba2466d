import type { Partner, PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Amount } from '../ui/Amount.tsx';
import { momentText } from '../ui/format.ts';
import { Sum, useUnits } from '../ui/Sum.tsx';
import table from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { CommissionDialog } from './CommissionDialog.tsx';
import css from './Partners.module.css';
import { PayoutDialog } from './PayoutDialog.tsx';

/** What a partner earns a share of, what they earned and what they were paid. */
export function Commission({ whole, mayEdit }: { whole: Partner; mayEdit: boolean }) {
  const { t } = useWords();
  const { canAccess: mayPay = false } = useCanAccess({ resource: 'partnerPayouts', action: 'edit' });
  const [open, setOpen] = useState<'terms' | 'pay' | null>(null);
  const { partner, earnings, payouts } = whole;
  return (
    <>
      <div className={css.head}>
        <h2 className={css.heading}>{t('partners.commission')}</h2>
        <span className={css.buttons}>
          {mayEdit && <Button onClick={() => setOpen('terms')}>{t('partners.edit')}</Button>}
          {mayPay && earnings.length > 0 && <Button onClick={() => setOpen('pay')}>{t('partners.pay')}</Button>}
        </span>
      </div>
      <p>{termsOf(partner, t)}</p>
      {earnings.length > 0 && <Earnings rows={earnings} />}
      {payouts.length > 0 && <Payouts rows={payouts} />}
      {open === 'terms' && <CommissionDialog partner={partner} onClose={() => setOpen(null)} />}
      {open === 'pay' && <PayoutDialog partner={partner} earnings={earnings} onClose={() => setOpen(null)} />}
    </>
  );
}

function termsOf(partner: PartnerRow, t: ReturnType<typeof useWords>['t']): string {
  if (Number(partner.commissionPercent) === 0) return t('partners.noCommission');
  return t(`partners.commissionOf.${partner.commissionKind}`, { percent: partner.commissionPercent });
}

function Earnings({ rows }: { rows: Partner['earnings'] }) {
  const { t } = useWords();
  const units = useUnits();
  return (
    <div className={table.wrap}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('partners.currency')}</th>
            {['completed', 'earned', 'balance', 'debt'].map((name) => (
              <th key={name} scope="col" className={table.right}>
                {t(`partners.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.currency}>
              <td className={`${table.whole} ${table.full}`}>{units.get(row.currency) ?? row.currency}</td>
              <td className={table.right} data-label={t('partners.completed')}>
                {row.claims}
              </td>
              {(['earned', 'balance', 'debt'] as const).map((name) => (
                <td key={name} className={table.right} data-label={t(`partners.${name}`)}>
                  <Amount value={row[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Payouts({ rows }: { rows: Partner['payouts'] }) {
  const { t, language } = useWords();
  return (
    <div className={table.wrap}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('partners.paid')}</th>
            <th scope="col">{t('partners.txId')}</th>
            <th scope="col">{t('partners.when')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td className={table.whole}>
                <Sum value={row.amount} code={row.currency} />
              </td>
              <td className={`${css.url} ${table.full}`}>{row.tx}</td>
              <td className={table.small}>
                {momentText(row.createdAt, language)}, {row.paidBy}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
