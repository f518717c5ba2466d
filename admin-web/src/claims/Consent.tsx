import type { Claim } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { useNow } from '../ui/clock.ts';
import { momentText } from '../ui/format.ts';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './ClaimPanel.module.css';
import { paysAsAgreed } from './recalculation.ts';

/** Whether a colleague's word on the next payment is waited for, given or refused. */
export function Consent({ claim }: { claim: Claim }) {
  const { t, language } = useWords();
  const now = useNow();
  const saved = useSaved();
  const { consent } = claim;
  const withdraw = useMutation({
    mutationFn: (id: string) => api.withdraw(id),
    onSuccess: () => saved(t('approvals.withdrawn'), KEYS.claim(claim.id), KEYS.approvals, KEYS.dashboard),
  });
  const due = claim.transitions.find((transition) => transition.consent);
  const isDue = due !== undefined;
  // Paying as agreed for another amount is one choice of several: nobody has to be asked before it is made.
  const isOverride = due !== undefined && paysAsAgreed(claim, due);
  if (!consent) return isDue && !isOverride ? <p className={css.consent}>{t('consent.due')}</p> : null;
  if (isOverride && consent.state !== 'waiting' && consent.state !== 'rejected') return null;
  const waits = consent.state === 'waiting';
  // What was agreed on may be another payment than the one that is next now.
  const said = consent.state === 'approved' && isDue ? 'other' : consent.state;
  const who = waits ? consent.proposedBy.name : (consent.decidedBy?.name ?? '');
  const at = momentText(waits ? consent.proposedAt : (consent.decidedAt ?? consent.expiresAt), language, now);
  return (
    <div className={waits ? css.consentWaits : css.consent} role="status">
      <p>
        {t(`${isOverride ? 'consent.override' : 'consent'}.${said}`, { name: who, at, reason: consent.reason ?? '' })}
        {waits && ` ${t('approvals.until', { at: momentText(consent.expiresAt, language, now) })}`}
      </p>
      {consent.mayWithdraw && (
        <Button variant="outlined" disabled={withdraw.isPending} onClick={() => withdraw.mutate(consent.id)}>
          {t('approvals.withdraw')}
        </Button>
      )}
      {consent.mayDecide && (
        <Button component={Link} to="/approvals" variant="contained">
          {t('consent.decide')}
        </Button>
      )}
      <Refusal error={withdraw.error} />
    </div>
  );
}
