import { useT } from '../../../i18n/texts';
import { useAmount } from '../model/useFormats';
import { Row } from '../ticket/CopyRow';
import { TransactionRow } from '../ticket/TransactionRow';
import type { StepProps } from './parts';
import css from './steps.module.css';

/** The refund: amount, fee, destination and transaction. */
export function RefundSum({ claim: { form, status } }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const { refund } = status;
  if (!refund) return null;
  const isReturned = status.status === 'refund_sent' || status.status === 'refunded';
  return (
    <div className={css.rows}>
      <div className={css.pairOfRows}>
        <Row label={t(isReturned ? 'refund.returned' : 'refund.amount')}>
          <span className={css.large}>{amount(refund.amount, form.from)}</span>
        </Row>
        <Row label={t('refund.fee')}>
          <span className={css.value}>
            {Number(refund.fee) === 0 ? t('refund.feeNone') : amount(refund.fee, form.from)}
          </span>
        </Row>
      </div>
      {refund.destination !== null && (
        <Row label={t('refund.to')}>
          <span className={css.value}>{refund.destination}</span>
        </Row>
      )}
      <TransactionRow transaction={refund.tx} label={t('progress.refunded')} kind={form.from.kind} />
    </div>
  );
}
