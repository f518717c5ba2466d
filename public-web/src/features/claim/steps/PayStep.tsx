import { ApiError } from '@agio/client/problem';
import { useState } from 'react';
import type { ClaimForm, ClaimPayment } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { useAmount } from '../model/useFormats';
import { Deadline, DeadlineRuler, useRemaining } from '../ticket/Deadline';
import { Heading } from '../ticket/Ticket';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
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
        {t('state.awaiting_payment.heading')} <span className="nb">{amount(exact, form.from)}</span>
      </Heading>
      {until !== null && <DeadlineRuler until={until} minutes={form.hold} />}
      {until !== null && <Overdue until={until} minutes={form.hold} />}
      {payment.state === 'loading' && <PayLoading />}
      {isPending && (
        <Notice tone="calm" live>
          {t('pay.pending')}
        </Notice>
      )}
      {payment.state === 'failed' && !isPending && <PayFailed retry={again} />}
      {details !== null && <Paying payment={details} form={form} claim={claim} action={action} />}
    </>
  );
}

/** Whether a bank or merchant is still asked for the details. The claim changes when they come. */
function isDetailsPending(error: unknown) {
  return error instanceof ApiError && error.code === 'payment_details_pending';
}

function Paying({ payment, form, claim, action }: StepProps & { payment: ClaimPayment; form: ClaimForm }) {
  const t = useT('claim');
  const { status } = claim;
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  const [missing, setMissing] = useState(false);
  const hasReceipt = form.receipts.length > 0 || upload.upload?.phase === 'sent';
  const paid = () => {
    const lacks = form.receiptRequired && !hasReceipt;
    setMissing(lacks);
    if (!lacks) void action.run('paid', () => claim.calls.paid());
  };
  return (
    <>
      <Pay payment={payment} side={form.from}>
        {status.actions.includes('upload') && (
          <ReceiptPicker
            upload={upload}
            sent={form.receipts}
            title={t(form.receiptRequired ? 'receipt.required' : 'receipt.title')}
            hint={t('receipt.hint')}
          />
        )}
        {missing && !hasReceipt && (
          <p className={css.error} role="alert">
            {t('pay.receiptFirst')}
          </p>
        )}
      </Pay>
      <Refusal action={action} of="paid" />
      <Actions>
        {status.actions.includes('paid') && (
          <ActionButton main={payment.page === null} busy={action.busy === 'paid'} onClick={paid}>
            {t(action.busy === 'paid' ? 'pay.paidSending' : 'pay.paid')}
          </ActionButton>
        )}
        <CancelClaim claim={claim} action={action} />
      </Actions>
    </>
  );
}

function Overdue({ until, minutes }: { until: string; minutes: number }) {
  const t = useT('claim');
  const { urgency } = useRemaining(until, minutes);
  if (urgency !== 'over') return null;
  return (
    <Notice tone="warning" live>
      {t('pay.overText')}
    </Notice>
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
