import { useEffect, useRef } from 'react';
import { useAnswer } from '../../../api/useAnswer';
import { useT } from '../../../i18n/texts';
import { useAmount } from '../model/useFormats';
import { arriveAt } from '../ticket/Ticket';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import type { FollowedClaim } from '../useClaim';
import { Pay } from './Pay';
import { ActionButton, Actions } from './parts';
import css from './steps.module.css';

interface Props {
  claim: FollowedClaim;
  /** The missing amount; null when only the receipt is in question. */
  missing: string | null;
  onBack(): void;
}

export function TopUp({ claim, missing, onBack }: Props) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, calls, refresh } = claim;
  const [payment] = useAnswer(calls.payment);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => arriveAt(title.current), []);
  const upload = useReceiptUpload(calls.receiptAddress, refresh);
  // A page takes the whole amount of its invoice and no rest.
  const hasPage = payment.state === 'ready' && payment.value.page !== null;
  return (
    <section aria-labelledby="top-up-title">
      <h2 ref={title} tabIndex={-1} className={css.subheading} id="top-up-title">
        {missing === null
          ? t('choice.topUp.receiptTitle')
          : t('choice.topUp.title', { amount: amount(missing, form.from) })}
      </h2>
      {missing !== null && hasPage && <p>{t('choice.topUp.page')}</p>}
      {missing !== null && payment.state === 'ready' && !hasPage && (
        <Pay payment={payment.value} side={form.from} rest={missing} />
      )}
      <ReceiptPicker upload={upload} sent={form.receipts} title={t('receipt.title')} hint={t('receipt.hint')} />
      <Actions>
        <ActionButton busy={false} onClick={onBack}>
          {t('refund.back')}
        </ActionButton>
      </Actions>
    </section>
  );
}
