import { useT } from '../../../i18n/texts';
import { useAmount, useMoment } from '../model/useFormats';
import { TransactionRow } from '../ticket/TransactionRow';
import type { StepProps } from './parts';

/** The transaction of the payout; of one made in parts each, with its amount and time. */
export function PayoutRows({ claim: { form, status } }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const moment = useMoment();
  const { kind } = form.to;
  if (status.payouts.length === 0) {
    return <TransactionRow transaction={status.txOut} label={t('progress.sent')} kind={kind} />;
  }
  return status.payouts.map((part) => {
    const label = t('progress.part', { amount: amount(part.amount, form.to), time: moment(part.at) });
    return <TransactionRow key={part.at} transaction={part.tx} label={label} kind={kind} />;
  });
}
