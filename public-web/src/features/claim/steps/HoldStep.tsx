import { timeText } from '@agio/client/format';
import { useState } from 'react';
import { serverNow } from '../../../api/serverClock';
import { Notice } from '../../../components/Notice';
import { Points } from '../../../components/Points';
import { type TextKey, useT } from '../../../i18n/texts';
import { isAnotherDay } from '../model/deadline';
import { useDay } from '../model/useFormats';
import deadline from '../ticket/Deadline.module.css';
import { Heading } from '../ticket/Ticket';
import { ReceiptPicker } from '../upload/ReceiptPicker';
import { useReceiptUpload } from '../upload/useReceiptUpload';
import { ActionButton, Actions, MailLine, type StepProps } from './parts';
import { RefundForm } from './RefundForm';
import css from './steps.module.css';

/** Reasons with a heading of their own; any other is named in the text. */
const HEADINGS: Readonly<Record<string, TextKey<'claim'>>> = {
  aml_check: 'hold.heading.aml_check',
  identity_check: 'hold.heading.identity_check',
  wrong_sender: 'hold.heading.wrong_sender',
  amount_not_confirmed: 'hold.heading.amount_not_confirmed',
  wrong_requisites: 'hold.heading.wrong_requisites',
  network_delay: 'hold.heading.network_delay',
  no_choice_made: 'hold.heading.no_choice_made',
  technical: 'hold.heading.technical',
};

/** What helps: documents, unless an operator writes to the customer, or the reason is ours, the bank's or the network's. */
const NEEDS: Readonly<Record<string, 'answer' | 'wait'>> = {
  identity_check: 'answer',
  no_choice_made: 'answer',
  wrong_requisites: 'answer',
  data_unreadable: 'wait',
  network_delay: 'wait',
  payment_gone: 'wait',
  payout_rejected: 'wait',
  payout_returned: 'wait',
  refund_returned: 'wait',
  technical: 'wait',
};

const STEPS: Readonly<Record<'answer' | 'upload' | 'wait', readonly TextKey<'claim'>[]>> = {
  answer: ['hold.steps.answer.1', 'hold.steps.answer.2'],
  upload: ['hold.steps.upload.1', 'hold.steps.upload.2'],
  wait: ['hold.steps.wait.1', 'hold.steps.wait.2'],
};

/** The exchange is stopped: the reason, what to do, and when we answer. */
export function HoldStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const { form, status } = claim;
  const upload = useReceiptUpload(claim.calls.receiptAddress, claim.refresh);
  const [refunding, setRefunding] = useState(false);
  const reason = status.reason?.code ?? '';
  const canUpload = status.actions.includes('upload');
  const needs = NEEDS[reason] ?? (canUpload ? 'upload' : 'wait');
  // The operator's email says which documents.
  const takesFiles = canUpload && (needs === 'upload' || reason === 'identity_check');
  const heading = HEADINGS[reason] ?? 'state.on_hold.heading';
  return (
    <>
      <Heading state={status.status} aside={status.answerBy !== null && <AnswerBy moment={status.answerBy} />}>
        {t(heading)}
      </Heading>
      <Notice tone="danger" title={t('hold.why')}>
        <p>{status.reason?.text || t('hold.whyUnknown')}</p>
      </Notice>
      <h2 className={css.subheading}>{t('hold.what')}</h2>
      <Points texts={STEPS[needs].map((key) => t(key))} />
      {takesFiles && (
        <ReceiptPicker
          upload={upload}
          sent={form.receipts}
          title={t('receipt.verification')}
          hint={t('receipt.verificationHint')}
        />
      )}
      <div className={css.after}>
        <MailLine email={form.email} />
      </div>
      {status.actions.includes('refund') && !refunding && (
        <Actions>
          <ActionButton busy={false} onClick={() => setRefunding(true)}>
            {t('hold.refund')}
          </ActionButton>
        </Actions>
      )}
      {refunding && <RefundForm claim={claim} action={action} onBack={() => setRefunding(false)} />}
    </>
  );
}

/** When we answer, in place of the countdown. */
function AnswerBy({ moment }: { moment: string }) {
  const t = useT('claim');
  const time = timeText(moment);
  const day = useDay()(moment);
  return (
    <div className={`${deadline.clock} ${deadline.promise}`}>
      <span className={deadline.text}>
        {isAnotherDay(moment, serverNow()) ? t('hold.answerDay', { day }) : t('hold.answerToday')}
      </span>
      <time className={deadline.figures} dateTime={moment}>
        {time}
      </time>
    </div>
  );
}
