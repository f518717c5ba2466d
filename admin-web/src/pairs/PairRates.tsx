import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { useWords } from '../ui/useWords.ts';
import { History } from './History.tsx';
import css from './Rates.module.css';
import { Release } from './Release.tsx';
import { RulesDialog } from './RulesDialog.tsx';

type Props = { pairId: number; name: string };

const useRatePair = (id: number) => useQuery({ queryKey: KEYS.ratePair(id), queryFn: () => api.ratePair(id) });

/** Why a pair is stopped, and the way to let it go on; nothing while it goes. */
export function PairStop({ pairId, name }: Props) {
  const { data: pair } = useRatePair(pairId);
  if (!pair?.stop) return null;
  return (
    <div className={css.stop}>
      <p>{pair.stop.text}</p>
      {/* A round trip that gains is ended by other rates alone. */}
      {pair.stop.cause !== 'arbitrage' && <Release pairId={pairId} name={name} />}
    </div>
  );
}

/** The rate of a pair: its rules, and how it went. */
export function PairRates({ pairId, name }: Props) {
  const { t } = useWords();
  const { data: pair } = useRatePair(pairId);
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'rateRules', action: 'edit' });
  const [editing, setEditing] = useState(false);
  return (
    <div className={css.room}>
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
