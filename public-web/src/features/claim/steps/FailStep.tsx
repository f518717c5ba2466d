import { Notice } from '../../../components/Notice';
import { Points } from '../../../components/Points';
import { type TextKey, useT } from '../../../i18n/texts';
import { useSite } from '../../../site';
import { Heading } from '../ticket/Ticket';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { PayoutRows } from './PayoutRows';
import { Actions, type StepProps } from './parts';
import { RefundSum } from './RefundSum';
import { RepeatExchange } from './RepeatExchange';
import css from './steps.module.css';

const NEXT: Readonly<Record<'expired' | 'cancelled' | 'rejected' | 'refunded', readonly TextKey<'claim'>[]>> = {
  expired: ['fail.next.expired.1', 'fail.next.expired.2'],
  cancelled: ['fail.next.cancelled.1', 'fail.next.cancelled.2'],
  rejected: ['fail.next.rejected.1', 'fail.next.rejected.2'],
  refunded: ['fail.next.refunded.1'],
};

type Ending = keyof typeof NEXT;

/** The receipt that the reason asks for. */
function Receipt({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  return (
    <ReceiptPicker upload={upload} sent={claim.form.receipts} title={t('receipt.title')} hint={t('receipt.ended')} />
  );
}

/** The claim ended without an exchange: the reason, and what the customer can do. */
export function FailStep({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const { supportEmail } = useSite();
  const { form, status } = claim;
  const ending = status.status as Ending;
  const isRefunded = ending === 'refunded';
  const takesReceipt =
    status.reason?.code === 'payment_not_found' && status.actions.includes('upload') && form.from.kind !== 'cash';
  return (
    <>
      <Heading state={status.status}>{t(`state.${ending}.heading`)}</Heading>
      <p className={css.text}>{t(`state.${ending}.text`)}</p>
      {(ending === 'rejected' || ending === 'expired') && status.reason?.text && (
        <Notice tone={ending === 'rejected' ? 'danger' : 'warning'} title={t('fail.reason')}>
          <p>{status.reason.text}</p>
        </Notice>
      )}
      {isRefunded && <RefundSum claim={claim} />}
      {isRefunded && <PayoutRows claim={claim} />}
      <h2 className={css.subheading}>{t('fail.what')}</h2>
      <Points texts={NEXT[ending].map((key) => t(key))} />
      {takesReceipt && <Receipt claim={claim} />}
      <Actions>
        <RepeatExchange
          form={form}
          text={t(ending === 'expired' || ending === 'cancelled' ? 'fail.same' : 'fail.again')}
        />
        {supportEmail !== '' && (
          <a
            className="linkbtn"
            href={`mailto:${supportEmail}?subject=${encodeURIComponent(t('stub.mailSubject', { number: form.publicId }))}`}
          >
            {t('fail.support')}
          </a>
        )}
      </Actions>
    </>
  );
}
