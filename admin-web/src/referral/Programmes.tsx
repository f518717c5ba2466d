import type { ReferralProgramme } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { ProgrammeDialog } from './ProgrammeDialog.tsx';
import own from './Referral.module.css';

/** By which terms referrers earn. */
export function Programmes() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...KEYS.referral, 'programmes'],
    queryFn: () => api.referralProgrammes(),
  });
  const { canAccess: mayChange = false } = useCanAccess({ resource: 'referralTerms', action: 'edit' });
  const [editing, setEditing] = useState<ReferralProgramme | 'new' | null>(null);
  return (
    <>
      <p className={own.text}>{t('referral.programmesText')}</p>
      {isPending && <SkeletonRows rows={3} height={42} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Rows rows={data} onEdit={mayChange ? setEditing : null} />}
      {mayChange && (
        <div className={own.bar}>
          <Button onClick={() => setEditing('new')}>{t('referral.addProgramme')}</Button>
        </div>
      )}
      {editing && <ProgrammeDialog programme={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function Rows({
  rows,
  onEdit,
}: {
  rows: ReferralProgramme[];
  onEdit: ((programme: ReferralProgramme) => void) | null;
}) {
  const { t, language } = useWords();
  return (
    <div className={css.wrap}>
      <table className={`${css.table} ${css.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('referral.programme')}</th>
            <th scope="col">{t('referral.tiers')}</th>
            <th scope="col">{t('referral.holdHours')}</th>
            <th scope="col">{t('referral.withdrawalMin')}</th>
            <th scope="col">{t('referral.changed')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('referral.edit')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <strong>{row.name}</strong>
                <span className={own.lines}>
                  {row.common ? t('referral.forAll') : t('referral.forSome', { smart_count: row.referrers })}
                </span>
              </td>
              <td className={css.full}>
                {t(`referral.kinds.${row.kind}`)}
                <span className={own.lines}>
                  {row.tiers.map(({ from, percent }) => t('referral.tierLine', { from, percent })).join('; ')}
                </span>
              </td>
              <td data-label={t('referral.holdHours')}>{row.holdHours}</td>
              <td data-label={t('referral.withdrawalMin')}>{row.withdrawalMin}</td>
              <td className={css.small}>
                {row.changedBy ? `${row.changedBy}, ${momentText(row.changedAt, language)}` : t('referral.asShipped')}
              </td>
              <td className={css.actions}>
                {onEdit && (
                  <Button onClick={() => onEdit(row)} aria-label={`${t('referral.edit')}: ${row.name}`}>
                    {t('referral.edit')}
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
