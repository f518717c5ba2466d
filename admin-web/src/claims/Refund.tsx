import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, useMayEdit } from '../api/index.ts';
import { Button, FormDialog, useTexts } from '../ui/index.ts';
import css from './ClaimPanel.module.css';
import facts from './Facts.module.css';
import { AmountFact, Fact } from './Facts.tsx';
import { ChangedNote, CheckedButton, useRecheck } from './recheck.tsx';
import { refundStatus } from './refundStatus.ts';
import type { Claim } from './types.ts';
import { STALE_BY_CLAIM } from './useClaimActions.ts';

/** The refund through the driver of the payment, if there is one. */
export function Refund({ claim, held }: { claim: Claim; held: boolean }) {
  const { t } = useTexts();
  const may = useMayEdit('refunds');
  const [confirming, setConfirming] = useState(false);
  const { refund } = claim;
  const status = refundStatus(claim, may && !held);
  // A missing destination is shown with the amount.
  if (!refund || status === 'none' || status === 'waits' || claim.returned?.isMissing) return null;
  const does = status === 'propose' ? 'propose' : 'send';
  return (
    <div className={css.consent}>
      <p>
        {t(`refund.${status}`, { driver: refund.driver })}{' '}
        {status === 'under_way' && <Link to="/payments">{t('refund.follow')}</Link>}
      </p>
      {(status === 'send' || status === 'propose') && (
        <Button variant="contained" onClick={() => setConfirming(true)}>
          {t(`refund.${does}Label`)}
        </Button>
      )}
      {confirming && <RefundDialog claim={claim} refund={refund} does={does} onClose={() => setConfirming(false)} />}
    </div>
  );
}

type DialogProps = { claim: Claim; refund: Schema<'DriverRefundView'>; does: 'send' | 'propose'; onClose: () => void };

/** Shows the exact amount and the whole address before anything is sent. */
function RefundDialog({ claim, refund, does, onClose }: DialogProps) {
  const { t } = useTexts();
  const { ticker } = claim.from;
  const { isChanged, accept } = useRecheck(claim);
  return (
    <FormDialog
      title={t('refund.title', { number: claim.publicId })}
      initial={{}}
      isReady={() => !isChanged}
      actions={isChanged && <CheckedButton onCheck={accept} />}
      save={(_, once) => api.POST('/payments/claims/{id}/refund', { ...once, params: { path: { id: claim.id } } })}
      submit={t(`refund.${does}Do`)}
      done={({ approval }) => t(approval ? 'approvals.sent' : 'refund.sent')}
      stale={[`/claims/${claim.id}`, ...STALE_BY_CLAIM, '/approvals*', '/payments/attempts']}
      onClose={onClose}
    >
      {() => (
        <>
          {isChanged && <ChangedNote />}
          <p>{t(`refund.${does}Text`, { driver: refund.driver })}</p>
          <dl className={facts.list}>
            <AmountFact
              name={t('claim.exactly')}
              value={refund.amount}
              ticker={ticker}
              copyLabel={t('claim.exactly')}
            />
            {claim.returned && <AmountFact name={t('returned.fee')} value={claim.returned.fee} ticker={ticker} />}
            {refund.address && <Fact name={t('fields.address')} value={refund.address} />}
            {refund.memo && <Fact name={t('refund.memo')} value={refund.memo} />}
          </dl>
        </>
      )}
    </FormDialog>
  );
}
