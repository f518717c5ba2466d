import Button from '@mui/material/Button';
import { useState } from 'react';
import { useGet, useMayEdit } from '../api/hooks.ts';
import { useTexts } from '../ui/useTexts.ts';
import { History } from './History.tsx';
import css from './Rates.module.css';
import { Resume } from './Resume.tsx';
import { RulesDialog } from './RulesDialog.tsx';

type Props = { pairId: number; name: string };

const usePairRate = (id: number) => useGet('/rates/pairs/{id}', { path: { id } });

/** Why a pair is suspended, and a button to resume it. */
export function PairSuspension({ pairId, name }: Props) {
  const { data: pair } = usePairRate(pairId);
  if (!pair?.suspension) return null;
  return (
    <div className={css.suspension}>
      <p>{pair.suspension.text}</p>
      {/* Only other rates end a loop that gains. */}
      {pair.suspension.cause !== 'arbitrage' && <Resume pairId={pairId} name={name} />}
    </div>
  );
}

/** The rate of a pair: its rules and history. */
export function PairRates({ pairId, name }: Props) {
  const { t } = useTexts();
  const { data: pair } = usePairRate(pairId);
  const mayEdit = useMayEdit('rateRules');
  const [editing, setEditing] = useState(false);
  return (
    <div className={css.body}>
      {pair && mayEdit && (
        <div>
          <Button onClick={() => setEditing(true)}>{t('live.rules')}</Button>
        </div>
      )}
      <History pairId={pairId} />
      {pair && editing && <RulesDialog pair={pair} name={name} onClose={() => setEditing(false)} />}
    </div>
  );
}
