import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { Heading } from '../ticket/Ticket';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { Actions, CancelClaim, MailLine, type StepProps } from './parts';
import css from './steps.module.css';

/** A card or a person is checked before the payment: what for, what to attach, and that time does not run. */
export function VerificationStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const { form, status } = claim;
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  return (
    <>
      <Heading state={status.status}>{t('state.verification.heading')}</Heading>
      <p className={css.text}>{t('state.verification.text')}</p>
      <MailLine email={form.email} of="progress.mail" />
      {status.reason?.text && (
        <Notice tone="calm" title={t('hold.why')}>
          <p>{status.reason.text}</p>
        </Notice>
      )}
      {status.actions.includes('upload') && (
        <ReceiptPicker
          upload={upload}
          sent={form.receipts}
          title={t('receipt.verification')}
          hint={t('receipt.verificationHint')}
        />
      )}
      <Actions>
        <CancelClaim claim={claim} action={action} />
      </Actions>
    </>
  );
}
