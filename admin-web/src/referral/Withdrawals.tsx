import type { ReferralStepInput, ReferralWithdrawal } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { CopyButton } from '../ui/Copy.tsx';
import { momentText } from '../ui/format.ts';
import { Segments } from '../ui/Segments.tsx';
import { Sum } from '../ui/Sum.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { List } from './List.tsx';
import own from './Referral.module.css';
import { StepDialog } from './StepDialog.tsx';
import { usePages } from './usePages.ts';

export type Step = { row: ReferralWithdrawal; action: ReferralStepInput['action'] };

/** What referrers ask for, those who have waited longest first. */
export function Withdrawals() {
  const { t } = useWords();
  const [tab, setTab] = useState<'open' | 'past'>('open');
  const pages = usePages(['withdrawals', tab], (cursor, signal) => api.referralWithdrawals(tab, cursor, signal));
  const { canAccess: mayPay = false } = useCanAccess({ resource: 'referral', action: 'edit' });
  const [step, setStep] = useState<Step | null>(null);
  return (
    <>
      <div className={css.chips}>
        <Segments
          label={t('referral.which')}
          value={tab}
          options={(['open', 'past'] as const).map((one) => ({
            value: one,
            label: t(`referral.withdrawalTabs.${one}`),
          }))}
          onValue={(next) => setTab(next === 'past' ? 'past' : 'open')}
        />
      </div>
      <List pages={pages} empty={t(`referral.noWithdrawals.${tab}`)}>
        {(rows) => <Rows rows={rows} onStep={mayPay ? setStep : null} />}
      </List>
      {step && <StepDialog {...step} onClose={() => setStep(null)} />}
    </>
  );
}

function Rows({ rows, onStep }: { rows: ReferralWithdrawal[]; onStep: ((step: Step) => void) | null }) {
  const { t } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('referral.referrer')}</th>
            <th scope="col" className={css.right}>
              {t('referral.amount')}
            </th>
            <th scope="col">{t('referral.goesTo')}</th>
            <th scope="col">{t('referral.state')}</th>
            <th scope="col">{t('referral.asked')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('referral.steps')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} onStep={onStep} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, onStep }: { row: ReferralWithdrawal; onStep: ((step: Step) => void) | null }) {
  const { t, language } = useWords();
  return (
    <tr>
      <td className={`${own.email} ${css.full}`}>
        <Link to={`/referral/${row.referrerId}`}>{row.email}</Link>
      </td>
      <td className={`${css.right} ${css.full}`} data-label={t('referral.amount')}>
        <Sum value={row.amount} code={row.currency} />
      </td>
      <td className={css.full}>
        {row.requisites.map(({ label, value }) => (
          <span key={label} className={css.footer}>
            {value}
            <CopyButton value={value} label={label} />
          </span>
        ))}
      </td>
      <td>
        {t(`referral.withdrawalStates.${row.status}`)}
        {row.approvedBy && <span className={own.lines}>{t('referral.approvedBy', { name: row.approvedBy })}</span>}
        {row.decidedBy && <span className={own.lines}>{t('referral.decidedBy', { name: row.decidedBy })}</span>}
        {row.tx && <span className={own.lines}>{row.tx}</span>}
        {row.reason && <span className={own.lines}>{row.reason}</span>}
      </td>
      <td className={css.small}>{momentText(row.createdAt, language)}</td>
      <td className={`${css.actions} ${css.full}`}>
        {onStep &&
          row.actions.map((action) => (
            <Button key={action} onClick={() => onStep({ row, action })}>
              {t(`referral.step.${action}.label`)}
            </Button>
          ))}
      </td>
    </tr>
  );
}
