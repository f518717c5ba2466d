import type { ClaimForm, ClaimStatus } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { useAmount } from '../model/useFormats';
import { Coins } from '../ticket/Coins';
import { Row } from '../ticket/CopyRow';
import { Heading } from '../ticket/Ticket';
import { TransactionRow } from '../ticket/TransactionRow';
import { MailLine, type StepProps } from './parts';
import css from './steps.module.css';
import { Waiting } from './Waiting';

/** The payment is on the network: one coin per confirmation. */
export function ConfirmationsStep({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status } = claim;
  return (
    <>
      <Heading state={status.status}>
        <ConfirmationsHeading form={form} status={status} />
      </Heading>
      {form.from.kind === 'crypto' && <Coins form={form} status={status} />}
      <p className={css.text}>{t('state.payment_seen.text')}</p>
      <Waiting claim={claim} />
      <MailLine email={form.email} />
      <div className={css.rows} data-lined>
        <Row label={t('stub.sendNow')}>
          <span className={css.large}>{amount(form.from.amount, form.from)}</span>
        </Row>
        <TransactionRow transaction={status.txIn} label={t('progress.received')} kind={form.from.kind} />
      </div>
    </>
  );
}

function ConfirmationsHeading({ form, status }: { form: ClaimForm; status: ClaimStatus }) {
  const t = useT('claim');
  if (form.from.kind !== 'crypto') return t('confirmations.headingBank');
  const { confirmations, confirmationsRequired } = status;
  if (confirmations === null || confirmationsRequired === null) return t('confirmations.headingUnknown');
  const left = confirmationsRequired - confirmations;
  return left > 0 ? t('confirmations.heading', { count: left }) : t('confirmations.headingFull');
}
