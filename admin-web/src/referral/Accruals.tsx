import type { ReferralAccrual } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { momentText } from '../ui/format.ts';
import { Segments } from '../ui/Segments.tsx';
import { Sum } from '../ui/Sum.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { List } from './List.tsx';
import own from './Referral.module.css';
import { usePages } from './usePages.ts';
import { VerdictDialog } from './VerdictDialog.tsx';

/** What was earned: what waits for a decision, or all of it. */
export function Accruals() {
  const { t } = useWords();
  const [tab, setTab] = useState<'open' | 'past'>('open');
  const pages = usePages(['accruals', tab], (cursor, signal) => api.referralAccruals(tab, cursor, signal));
  return (
    <>
      <div className={css.chips}>
        <Segments
          label={t('referral.which')}
          value={tab}
          options={(['open', 'past'] as const).map((one) => ({ value: one, label: t(`referral.accrualTabs.${one}`) }))}
          onValue={(next) => setTab(next === 'past' ? 'past' : 'open')}
        />
      </div>
      <List pages={pages} empty={t(`referral.noAccruals.${tab}`)}>
        {(rows) => <AccrualTable rows={rows} />}
      </List>
    </>
  );
}

export function AccrualTable({ rows }: { rows: ReferralAccrual[] }) {
  const { t } = useWords();
  const { canAccess: mayDecide = false } = useCanAccess({ resource: 'referralReview', action: 'edit' });
  const [decided, setDecided] = useState<ReferralAccrual | null>(null);
  return (
    <>
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('referral.claim')}</th>
              <th scope="col">{t('referral.referrer')}</th>
              <th scope="col" className={css.right}>
                {t('referral.amount')}
              </th>
              <th scope="col">{t('referral.state')}</th>
              <th scope="col">{t('referral.earnedAt')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('referral.decide')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} onDecide={mayDecide && row.open ? () => setDecided(row) : null} />
            ))}
          </tbody>
        </table>
      </div>
      {decided && <VerdictDialog row={decided} onClose={() => setDecided(null)} />}
    </>
  );
}

function Row({ row, onDecide }: { row: ReferralAccrual; onDecide: (() => void) | null }) {
  const { t, language } = useWords();
  return (
    <tr>
      <td>
        <Link to={`/claims/${row.claimId}`}>№ {row.claimNumber}</Link>
        <span className={own.lines}>{row.email}</span>
      </td>
      <td className={own.email}>
        <Link to={`/referral/${row.referrerId}`}>{row.referrer}</Link>
        <span className={own.lines}>{row.percent} %</span>
      </td>
      <td className={css.right} data-label={t('referral.amount')}>
        {row.currency ? <Sum value={row.amount} code={row.currency} /> : '—'}
      </td>
      <td className={css.full}>
        {t(`referral.accrualStates.${row.status}`)}
        {row.flags.map(({ code, text }) => (
          <span key={code} className={own.lines}>
            {text}
          </span>
        ))}
        {row.reason && <span className={own.lines}>{row.reason.text}</span>}
        {row.decidedBy && <span className={own.lines}>{t('referral.decidedBy', { name: row.decidedBy })}</span>}
        {row.words && <span className={own.lines}>{row.words}</span>}
      </td>
      <td className={css.small}>{momentText(row.createdAt, language)}</td>
      <td className={css.actions}>{onDecide && <Button onClick={onDecide}>{t('referral.decide')}</Button>}</td>
    </tr>
  );
}
