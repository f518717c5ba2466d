import { useState } from 'react';
import { Button, useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import type { Claim } from './types.ts';

/** Whether what a dialog showed of a claim is still so; a change waits until staff have looked at it. */
export function useRecheck(claim: Claim): { isChanged: boolean; accept: () => void } {
  const now = moneyOf(claim);
  const [seen, setSeen] = useState(now);
  return { isChanged: seen !== now, accept: () => setSeen(now) };
}

/** The state, the amounts and where they go. A lock, a note or one more confirmation changes none of them. */
function moneyOf({ status, from, to, paidOut, payment, returned, refund, surplus, ...claim }: Claim): string {
  const sent = [from.amount, to.amount, paidOut, payment?.received, surplus, refund?.amount, refund?.underWay];
  const destinations = [claim.requisitesOut, claim.requisitesRefund, returned, refund?.address, refund?.memo];
  return JSON.stringify([status, sent, destinations]);
}

export function ChangedNote() {
  const { t } = useTexts();
  return (
    <p className={css.again} role="alert">
      {t('recheck.changed')}
    </p>
  );
}

export function CheckedButton({ onCheck }: { onCheck: () => void }) {
  const { t } = useTexts();
  return <Button onClick={onCheck}>{t('recheck.checked')}</Button>;
}
