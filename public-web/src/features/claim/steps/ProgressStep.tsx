import type { ClaimForm, ClaimStatus } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { PRESENTATIONS } from '../model/presentation';
import { useAmount, whereTo } from '../model/useWords';
import { Row } from '../ticket/CopyRow';
import { Heading } from '../ticket/Ticket';
import { TransactionRow } from '../ticket/TransactionRow';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { MailLine, type StepProps } from './parts';
import css from './steps.module.css';

/** The states in which the customer only waits: what is happening, with which money, and that the page may be closed. */
export function ProgressStep({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const { form, status } = claim;
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  const isRefund = PRESENTATIONS[status.status].track === 'refund';
  const takesReceipt = status.actions.includes('upload') && PRESENTATIONS[status.status].others.includes('upload');
  return (
    <>
      <Heading state={status.status}>{t(`state.${status.status}.heading`)}</Heading>
      <p className={css.text}>{t(`state.${status.status}.text`)}</p>
      <MailLine email={form.email} of="progress.mail" />
      <div className={css.rows}>
        <Money form={form} status={status} />
        <TransactionRow transaction={status.txIn} label={t('progress.received')} kind={form.from.kind} />
        <TransactionRow
          transaction={status.txOut}
          label={t(isRefund ? 'progress.refunded' : 'progress.sent')}
          kind={isRefund ? form.from.kind : form.to.kind}
        />
      </div>
      {takesReceipt && (
        <ReceiptPicker upload={upload} sent={form.receipts} title={t('receipt.title')} hint={t('receipt.hint')} />
      )}
    </>
  );
}

/** The amount on its way: ours to the customer, or theirs back. */
function Money({ form, status }: { form: ClaimForm; status: ClaimStatus }) {
  const t = useT('claim');
  const amount = useAmount();
  if (status.status === 'payment_claimed') {
    return (
      <Row label={t('confirmations.expected')}>
        <span className={css.large}>{amount(form.from.amount, form.from)}</span>
      </Row>
    );
  }
  if (PRESENTATIONS[status.status].track === 'refund') {
    return (
      <Row label={t('progress.returning')}>
        <span className={css.large}>{amount(status.offer?.fromSumma ?? form.from.amount, form.from)}</span>
      </Row>
    );
  }
  const isSent = status.status === 'payout_sent';
  return (
    <Row label={t(isSent ? 'progress.sent' : 'progress.send')}>
      <span className={css.large}>{amount(form.to.amount, form.to)}</span>
      <span className={css.small}>{whereTo(form.to)}</span>
    </Row>
  );
}
