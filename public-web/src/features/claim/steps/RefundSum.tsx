import type { ClaimStatus } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { shownState } from '../../../openClaims/progress';
import { presentationOf } from '../model/presentation';
import { useAmount } from '../model/useFormats';
import { Row } from '../ticket/CopyRow';
import { TransactionRow } from '../ticket/TransactionRow';
import type { StepProps } from './parts';
import css from './steps.module.css';

/** Sent money may still bounce, so it is called returned only once it has arrived. */
function amountLabel(status: ClaimStatus['status']) {
  if (status === 'refund_sent') return 'refund.underWay';
  return status === 'refunded' || status === 'completed' ? 'refund.returned' : 'refund.amount';
}

/** The refund, or the surplus beside an exchange: amount, fee, destination and transaction. */
export function RefundSum({ claim: { form, status } }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const { refund } = status;
  if (!refund) return null;
  // A surplus is returned for no other reason than that it came; one that is still to be sent has a reason if it came back.
  const hasReason = status.status === 'refund_pending' || presentationOf(shownState(status)).track === 'refund';
  const reason = hasReason ? status.reason?.text : null;
  return (
    <div className={css.rows}>
      <div className={css.pairOfRows}>
        <Row label={t(amountLabel(status.status))}>
          <span className={css.large}>{amount(refund.amount, form.from)}</span>
        </Row>
        <Row label={t('refund.fee')}>
          <span className={css.value}>
            {Number(refund.fee) === 0 ? t('refund.feeNone') : amount(refund.fee, form.from)}
          </span>
        </Row>
      </div>
      {reason && (
        <Row label={t('fail.reason')}>
          <span className={css.value}>{reason}</span>
        </Row>
      )}
      {refund.destination !== null && (
        <Row label={t('refund.to')}>
          <span className={css.value}>{refund.destination}</span>
        </Row>
      )}
      <TransactionRow transaction={refund.tx} label={t('progress.refunded')} kind={form.from.kind} />
    </div>
  );
}

interface SurplusSumProps extends Pick<StepProps, 'claim'> {
  terms: NonNullable<ClaimStatus['offer']>;
}

/** What is exchanged and what is returned, before the customer chooses it. */
export function SurplusSum({ claim: { form, status }, terms }: SurplusSumProps) {
  const t = useT('claim');
  const amount = useAmount();
  const { surplus } = status;
  if (!surplus) return null;
  return (
    <div className={css.rows}>
      <div className={css.pairOfRows}>
        <Row label={t('surplus.exchanged')}>
          <span className={css.value}>{amount(terms.fromSumma, form.from)}</span>
        </Row>
        <Row label={t('surplus.receive')}>
          <span className={css.value}>{amount(terms.toSumma, form.to)}</span>
        </Row>
      </div>
      <div className={css.pairOfRows}>
        <Row label={t('surplus.after')}>
          <span className={css.large}>{amount(surplus.amount, form.from)}</span>
        </Row>
        <Row label={t('refund.fee')}>
          <span className={css.value}>
            {Number(surplus.fee) === 0 ? t('refund.feeNone') : amount(surplus.fee, form.from)}
          </span>
        </Row>
      </div>
    </div>
  );
}
