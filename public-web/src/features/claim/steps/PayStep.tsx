import { ApiError } from '@agio/client/problem';
import { useRef, useState } from 'react';
import type { ClaimPayment } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { stateTexts } from '../model/stateTexts';
import { useAmount } from '../model/useFormats';
import { Deadline, DeadlineRuler, useIsOver } from '../ticket/Deadline';
import { Heading } from '../ticket/Ticket';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { AgreedTerms } from './AgreedTerms';
import { Pay } from './Pay';
import { ActionButton, Actions, CancelClaim, Refusal, type StepProps } from './parts';
import css from './steps.module.css';

export function PayStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status } = claim;
  const [payment, again] = useAnswer(claim.calls.payment, status.updatedAt);
  const isPending = payment.state === 'failed' && isDetailsPending(payment.error);
  const details = payment.state === 'ready' ? payment.value : null;
  const until = status.expiresAt ?? details?.expiresAt ?? null;
  const exact = details?.amount ?? form.from.amount;
  const isOver = useIsOver(until);
  const isCash = form.from.kind === 'cash';
  return (
    <>
      <Heading
        state={status.status}
        aside={
          until !== null && (
            <Deadline until={until} minutes={form.hold} texts={{ left: 'pay.until', over: 'pay.over' }} />
          )
        }
      >
        {isOver ? (
          t('state.expired.heading')
        ) : (
          <>
            {t(stateTexts(form, status).heading)} <span className="nb">{amount(exact, form.from)}</span>
          </>
        )}
      </Heading>
      {until !== null && <DeadlineRuler until={until} minutes={form.hold} />}
      {isOver && (
        <Notice tone="warning" live>
          <p>{t(isCash ? 'meeting.overText' : 'pay.overText')}</p>
        </Notice>
      )}
      {isOver && <AgreedTerms claim={claim} />}
      {!isOver && payment.state === 'loading' && <PayLoading />}
      {!isOver && isPending && (
        <Notice tone="calm" live>
          {t('pay.pending')}
        </Notice>
      )}
      {!isOver && payment.state === 'failed' && !isPending && <PayFailed retry={again} />}
      {(isOver || details !== null) && <Paying payment={isOver ? null : details} claim={claim} action={action} />}
    </>
  );
}

/** Whether a bank or merchant is still asked for the details. The claim changes when they come. */
function isDetailsPending(error: unknown) {
  return error instanceof ApiError && error.code === 'payment_details_pending';
}

/**
 * `payment`: null once the time to pay is over, when nobody should pay any more. The receipt is an extra below the button;
 * one that the direction requires comes before it.
 */
function Paying({ payment, claim, action }: StepProps & { payment: ClaimPayment | null }) {
  const t = useT('claim');
  const { form, status } = claim;
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  const chooseReceipt = useRef<HTMLButtonElement>(null);
  const [missing, setMissing] = useState(false);
  const hasReceipt = form.receipts.length > 0 || upload.upload?.phase === 'sent';
  const isRequired = form.receiptRequired;
  const paid = () => {
    const lacks = isRequired && !hasReceipt;
    setMissing(lacks);
    if (lacks) chooseReceipt.current?.focus();
    else void action.run('paid', () => claim.calls.paid());
  };
  // Cash has no receipt of a transfer.
  const isCash = form.from.kind === 'cash';
  const takesReceipt = status.actions.includes('upload') && (isRequired || !isCash);
  const button = t(isCash ? 'meeting.paid' : 'pay.paid');
  const receipt = takesReceipt && (
    <ReceiptPicker
      upload={upload}
      sent={form.receipts}
      title={t(isRequired ? 'receipt.required' : 'receipt.title')}
      hint={isRequired ? t('receipt.hintRequired', { button }) : t('receipt.hint')}
      choose={chooseReceipt}
    />
  );
  return (
    <>
      {payment !== null && <Pay payment={payment} side={form.from} />}
      {isRequired && receipt}
      {missing && !hasReceipt && (
        <p className={css.error} role="alert">
          {t('pay.receiptFirst')}
        </p>
      )}
      <Refusal action={action} of="paid" />
      <Actions>
        {status.actions.includes('paid') && (
          <ActionButton main={!payment?.page} busy={action.busy === 'paid'} onClick={paid}>
            {action.busy === 'paid' ? t('pay.paidSending') : button}
          </ActionButton>
        )}
        <CancelClaim claim={claim} action={action} />
      </Actions>
      {!isRequired && receipt}
    </>
  );
}

/** A placeholder of the details; their lines may need more or less space. */
export function PayLoading() {
  const t = useT('claim');
  return (
    <div className={`skeleton-open ${css.payLoading}`} role="status">
      <span className="vh">{t('pay.loading')}</span>
      <span className={`skeleton ${css.qrSkeleton}`} />
      <span className={css.rowSkeletons}>
        <span className={`skeleton ${css.rowSkeleton}`} />
        <span className={`skeleton ${css.rowSkeleton}`} />
      </span>
    </div>
  );
}

export function PayFailed({ retry }: { retry(): void }) {
  const t = useT('claim');
  return (
    <Notice tone="danger" live>
      <p>{t('pay.failed')}</p>
      <button type="button" className="linkbtn" onClick={retry}>
        {t('pay.again')}
      </button>
    </Notice>
  );
}
