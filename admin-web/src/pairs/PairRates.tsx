import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useGet, useMayEdit } from '../api/index.ts';
import { Button, Facts, useTexts } from '../ui/index.ts';
import { CostTable } from './Costs.tsx';
import { History } from './History.tsx';
import { rateText } from './matrix.ts';
import css from './Rates.module.css';
import { Resume } from './Resume.tsx';
import { RulesDialog } from './RulesDialog.tsx';

type Props = { pairId: number; name: string };

const usePairRate = (id: number) => useGet('/rates/pairs/{id}', { path: { id } });

/** Nobody resumes these: a round trip that gains, and a floor over the cost price that cannot be kept. */
const ENDS_BY_ITSELF: Schema<'SuspensionView'>['cause'][] = ['arbitrage', 'cost_unknown', 'below_cost'];

/** Why a pair is suspended, and a button to resume it. */
export function PairSuspension({ pairId, name }: Props) {
  const { data: pair } = usePairRate(pairId);
  if (!pair?.suspension) return null;
  return (
    <div className={css.suspension}>
      <p>{pair.suspension.text}</p>
      {!ENDS_BY_ITSELF.includes(pair.suspension.cause) && <Resume pairId={pairId} name={name} />}
    </div>
  );
}

/** What the exchange takes of the market rate. */
function Economics({ pair }: { pair: Schema<'PairRateDetails'> }) {
  const { t, language, percentText } = useTexts();
  const { marketRate, customerRate, marginPercent, rules, costs, from, to } = pair;
  const margin = marginPercent === null ? '—' : percentText(marginPercent);
  return (
    <>
      <Facts
        facts={[
          rules.formula !== undefined && [t('live.rule.formula'), rules.formula],
          [t('live.marketRate'), rateText(marketRate, language) || t('live.noMarket')],
          [t('live.ourRate'), rateText(customerRate, language, marketRate ?? customerRate) || t('state.none')],
          [t('live.margin'), margin],
        ]}
      />
      <CostTable sets={[{ costs }]} from={from} to={to} />
    </>
  );
}

/** The rate of a pair: its margin, its rules and history. */
export function PairRates({ pairId, name }: Props) {
  const { t } = useTexts();
  const { data: pair } = usePairRate(pairId);
  const mayEdit = useMayEdit('rateRules');
  const [editing, setEditing] = useState(false);
  return (
    <div className={css.body}>
      {pair && <Economics pair={pair} />}
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
