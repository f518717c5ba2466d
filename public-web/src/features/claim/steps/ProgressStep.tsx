import { useState } from 'react';
import { useAnswer } from '../../../api/useAnswer';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { lacksDestination, shownState } from '../../../openClaims/progress';
import { isReturningSurplus, PRESENTATIONS } from '../model/presentation';
import { stateTexts } from '../model/stateTexts';
import { useAmount, whereTo } from '../model/useFormats';
import { Row } from '../ticket/CopyRow';
import { useIsOver } from '../ticket/Deadline';
import { Heading } from '../ticket/Ticket';
import { TransactionRow } from '../ticket/TransactionRow';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { AgreedTerms } from './AgreedTerms';
import { Pay } from './Pay';
import { PayoutRows } from './PayoutRows';
import { PayFailed, PayLoading } from './PayStep';
import { MailLine, type StepProps } from './parts';
import { RefundForm } from './RefundForm';
import { RefundSum } from './RefundSum';
import css from './steps.module.css';
import { Waiting } from './Waiting';

/** The states in which the customer only waits. */
export function ProgressStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const { form, status } = claim;
  const state = shownState(status);
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  const isCash = form.from.kind === 'cash';
  const takesReceipt =
    !isCash && status.actions.includes('upload') && PRESENTATIONS[status.status].others.includes('upload');
  const texts = stateTexts(form, status);
  if (lacksDestination(status)) return <RefundTo claim={claim} action={action} />;
  return (
    <>
      <Heading state={state}>{t(texts.heading)}</Heading>
      {!status.paymentMissing && <p className={css.text}>{t(texts.text)}</p>}
      {status.status === 'payment_claimed' && <AgreedTerms claim={claim} />}
      {status.paymentMissing ? <PaymentMissing isCash={isCash} /> : <Waiting claim={claim} />}
      <MailLine email={form.email} />
      <div className={css.rows} data-lined>
        <Money claim={claim} />
        <Surplus claim={claim} />
        <TransactionRow transaction={status.txIn} label={t('progress.received')} kind={form.from.kind} />
        <PayoutRows claim={claim} />
      </div>
      {status.status === 'payment_claimed' && !isCash && <WhereToPay claim={claim} />}
      {takesReceipt && (
        <ReceiptPicker upload={upload} sent={form.receipts} title={t('receipt.title')} hint={t('receipt.hint')} />
      )}
    </>
  );
}

/** A refund without a destination: only the customer knows it, and gives it where the claim is known to be theirs. */
function RefundTo({ claim, action }: StepProps) {
  const t = useT('claim');
  return (
    <>
      <Heading state="refund_to">{t('refund.ask')}</Heading>
      <p className={css.text}>{t('refund.askText')}</p>
      {claim.status.actions.includes('refund_to') ? (
        <RefundForm claim={claim} action={action} />
      ) : (
        <>
          <p className={css.text}>{t('choice.refund.elsewhere')}</p>
          <RefundSum claim={claim} />
        </>
      )}
    </>
  );
}

/**
 * The payment details once more: a customer may have reported the payment before sending it. Once the agreed terms have
 * ended they are there only to compare: nobody is told to pay late.
 */
function WhereToPay({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const { paymentMissing, termsEnd } = claim.status;
  const [wasOpened, setOpened] = useState(paymentMissing);
  const isOver = useIsOver(termsEnd);
  return (
    <details className={css.again} open={paymentMissing} onToggle={() => setOpened(true)}>
      <summary>{t(isOver ? 'pay.sentTo' : 'pay.notSent')}</summary>
      {wasOpened && <Details claim={claim} />}
    </details>
  );
}

function Details({ claim: { calls, form } }: Pick<StepProps, 'claim'>) {
  const [payment, again] = useAnswer(calls.payment);
  if (payment.state === 'loading') return <PayLoading />;
  if (payment.state === 'failed') return <PayFailed retry={again} />;
  return <Pay payment={payment.value} side={form.from} />;
}

function PaymentMissing({ isCash }: { isCash: boolean }) {
  const t = useT('claim');
  return (
    <div className={css.after}>
      <Notice tone="warning" title={t(isCash ? 'meeting.missing' : 'missing.title')}>
        <p>{t(isCash ? 'meeting.missingText' : 'missing.text')}</p>
      </Notice>
    </div>
  );
}

/** The amount of the payout or of the refund. */
function Money({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status } = claim;
  if (status.status === 'payment_claimed') {
    return (
      <Row label={t('confirmations.expected')}>
        <span className={css.large}>{amount(form.from.amount, form.from)}</span>
      </Row>
    );
  }
  const isExchanged = isReturningSurplus(shownState(status));
  if (PRESENTATIONS[status.status].track === 'refund' && !isExchanged) return <RefundSum claim={claim} />;
  // The rest is sent as well once the claim is back in this state.
  if (status.paidOut && status.status !== 'payout_sent') {
    return (
      <div className={css.pairOfRows}>
        <Row label={t('progress.sent')}>
          <span className={css.large}>{amount(status.paidOut.paid, form.to)}</span>
          <span className={css.small}>{whereTo(form.to)}</span>
        </Row>
        {Number(status.paidOut.left) > 0 && (
          <Row label={t('progress.left')}>
            <span className={css.large}>{amount(status.paidOut.left, form.to)}</span>
          </Row>
        )}
      </div>
    );
  }
  const isSent = status.status === 'payout_sent' || isExchanged;
  const isCash = form.to.kind === 'cash';
  const label = isCash ? (isSent ? 'stub.receiveDone' : 'meeting.handing') : isSent ? 'progress.sent' : 'progress.send';
  return (
    <Row label={t(label)}>
      <span className={css.large}>{amount(form.to.amount, form.to)}</span>
      <span className={css.small}>{whereTo(form.to)}</span>
      {form.floating && <span className={css.small}>{t('progress.floating')}</span>}
    </Row>
  );
}

/** What arrived beyond the agreed amount: on its way, or to be returned after the payout. */
function Surplus({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status } = claim;
  if (status.surplus === null) return null;
  if (isReturningSurplus(shownState(status))) return <RefundSum claim={claim} />;
  return (
    <Row label={t('surplus.after')}>
      <span className={css.value}>{amount(status.surplus.amount, form.from)}</span>
      {status.surplus.destination !== null && <span className={css.small}>{status.surplus.destination}</span>}
    </Row>
  );
}
