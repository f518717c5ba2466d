import type { Claim, ClaimRefund } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Amount } from '../ui/Amount.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './ClaimPanel.module.css';
import facts from './Facts.module.css';
import { Fact } from './Facts.tsx';
import { refundingOf } from './refunding.ts';

/** Returning the payment through the driver it came by, where there is one. */
export function Refund({ claim, held }: { claim: Claim; held: boolean }) {
  const { t } = useWords();
  const { canAccess: may = false } = useCanAccess({ resource: 'refunds', action: 'edit' });
  const [asked, setAsked] = useState(false);
  const { refund } = claim;
  const refunding = refundingOf(claim, may && !held);
  // Where nobody knows where to, that is said with the amount.
  if (!refund || refunding === 'none' || refunding === 'waits' || claim.returned?.isMissing) return null;
  const does = refunding === 'propose' ? 'propose' : 'send';
  return (
    <div className={css.consent}>
      <p>
        {t(`refund.${refunding}`, { driver: refund.driver })}{' '}
        {refunding === 'under_way' && <Link to="/payments">{t('refund.follow')}</Link>}
      </p>
      {(refunding === 'send' || refunding === 'propose') && (
        <Button variant="contained" onClick={() => setAsked(true)}>
          {t(`refund.${does}Label`)}
        </Button>
      )}
      {asked && <RefundDialog claim={claim} refund={refund} does={does} onClose={() => setAsked(false)} />}
    </div>
  );
}

type DialogProps = { claim: Claim; refund: ClaimRefund; does: 'send' | 'propose'; onClose: () => void };

/** Shows the exact amount and the whole address before anything leaves. */
function RefundDialog({ claim, refund, does, onClose }: DialogProps) {
  const { t } = useWords();
  const saved = useSaved();
  const [key] = useState(() => crypto.randomUUID());
  const keys = [KEYS.claim(claim.id), KEYS.claims, KEYS.approvals, KEYS.paymentAttempts, KEYS.dashboard];
  const sending = useMutation({
    mutationFn: () => api.refundClaim(claim.id, key),
    onSuccess: ({ proposal }) => {
      saved(t(proposal ? 'approvals.sent' : 'refund.sent'), ...keys);
      onClose();
    },
  });
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => !sending.isPending && sending.mutate()}
      title={t('refund.title', { number: claim.publicId })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={sending.isPending}>
            {sending.isPending ? t('action.saving') : t(`refund.${does}Do`)}
          </Button>
        </>
      }
    >
      <p>{t(`refund.${does}Text`, { driver: refund.driver })}</p>
      <dl className={facts.list}>
        <div className={facts.fact}>
          <dt>{t('refund.amount')}</dt>
          <dd>
            <span>
              <Amount value={refund.amount} /> {claim.from.ticker}
            </span>
            <CopyButton value={refund.amount} label={t('refund.amount')} />
          </dd>
        </div>
        {claim.returned && (
          <div className={facts.fact}>
            <dt>{t('returned.fee')}</dt>
            <dd>
              <span>
                <Amount value={claim.returned.fee} /> {claim.from.ticker}
              </span>
            </dd>
          </div>
        )}
        {refund.address && <Fact name={t('refund.to')} value={refund.address} />}
        {refund.memo && <Fact name={t('refund.memo')} value={refund.memo} />}
      </dl>
      <Refusal error={sending.error} />
    </Modal>
  );
}
