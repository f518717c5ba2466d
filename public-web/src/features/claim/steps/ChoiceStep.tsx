import { useState } from 'react';
import type { ClaimStatus } from '../../../api/types';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { difference, shortfall } from '../model/sums';
import { useAmount, useMoment, useRate } from '../model/useFormats';
import { Row } from '../ticket/CopyRow';
import { Deadline, DeadlineRuler, useIsOver } from '../ticket/Deadline';
import { arriveAt, Heading } from '../ticket/Ticket';
import { Choice } from './Choice';
import { ActionButton, Refusal, type StepProps } from './parts';
import { RefundForm } from './RefundForm';
import css from './steps.module.css';
import { TopUp } from './TopUp';

type Opened = 'topUp' | 'refund' | 'surplus' | null;
type Offer = NonNullable<ClaimStatus['offer']>;

/** A different amount arrived, or it arrived late: the customer chooses. */
export function ChoiceStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const [opened, setOpened] = useState<Opened>(null);
  const { form, status } = claim;
  const until = offerEnd(status);
  const back = () => {
    setOpened(null);
    requestAnimationFrame(() => arriveAt(document.querySelector('h1')));
  };
  return (
    <>
      <Heading
        state={status.status}
        aside={
          until !== null && (
            <Deadline until={until} minutes={form.hold} texts={{ left: 'choice.until', over: 'choice.over' }} />
          )
        }
      >
        {t(`state.${status.status}.heading`)}
      </Heading>
      {until !== null && <DeadlineRuler until={until} minutes={form.hold} />}
      {opened === null && <Offered claim={claim} action={action} open={setOpened} />}
      {opened === 'topUp' && <TopUp claim={claim} missing={missingOf(claim)} onBack={back} />}
      {opened === 'refund' && <RefundForm claim={claim} action={action} onBack={back} />}
      {opened === 'surplus' && (
        <RefundForm claim={claim} action={action} onBack={back} terms={status.surplus?.offer ?? undefined} />
      )}
    </>
  );
}

/** When the offered terms end. */
const offerEnd = ({ offer, surplus }: ClaimStatus): string | null => (offer ?? surplus?.offer)?.expiresAt ?? null;

/** The amount that arrived, the agreed one, and the options. */
function Offered({ claim, action, open }: StepProps & { open(what: Opened): void }) {
  const t = useT('claim');
  const when = useMoment();
  const { status } = claim;
  const { offer } = status;
  const until = offerEnd(status);
  return (
    <>
      <p className={css.text}>{t(`state.${status.status}.text`)}</p>
      {status.expiresAt !== null && <p className={css.text}>{t('choice.decide', { time: when(status.expiresAt) })}</p>}
      {until !== null && <OfferOver until={until} />}
      {offer !== null && <Received claim={claim} offer={offer} />}
      <Choices claim={claim} action={action} open={open} />
    </>
  );
}

/** The missing amount, where it is known and there is still time to send it. */
function missingOf({ form, status }: StepProps['claim']): string | null {
  if (status.status !== 'amount_mismatch' || status.offer === null) return null;
  return shortfall(form.from.amount, status.offer.fromSumma);
}

function Received({ claim: { form }, offer }: { claim: StepProps['claim']; offer: Offer }) {
  const t = useT('claim');
  const amount = useAmount();
  return (
    <div className={css.pairOfRows}>
      <Row label={t('choice.received')}>
        <span className={css.large}>{amount(offer.fromSumma, form.from)}</span>
      </Row>
      <Row label={t('choice.expected')}>
        <span className={css.large}>{amount(form.from.amount, form.from)}</span>
      </Row>
    </div>
  );
}

function Choices({ claim, action, open }: StepProps & { open(what: Opened): void }) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status } = claim;
  const missing = missingOf(claim);
  // Nobody who sent more has anything to add or to prove.
  const canTopUp = status.status === 'amount_mismatch' && status.actions.includes('upload') && status.surplus === null;
  return (
    <ul className={css.choices} data-lined>
      {status.offer !== null && status.actions.includes('accept') && (
        <Accept claim={claim} action={action} offer={status.offer} />
      )}
      {status.surplus !== null && <Surplus claim={claim} surplus={status.surplus} open={() => open('surplus')} />}
      {canTopUp && (
        <Choice
          title={
            missing === null
              ? t('choice.topUp.receiptTitle')
              : t('choice.topUp.title', { amount: amount(missing, form.from) })
          }
          text={t(missing === null ? 'choice.topUp.receiptText' : 'choice.topUp.text')}
        >
          <ActionButton busy={false} onClick={() => open('topUp')}>
            {t(missing === null ? 'choice.topUp.receiptAction' : 'choice.topUp.action')}
          </ActionButton>
        </Choice>
      )}
      {status.actions.includes('refund') && (
        <Choice
          title={t('choice.refund.title')}
          text={
            status.refund
              ? t(Number(status.refund.fee) === 0 ? 'choice.refund.textFree' : 'choice.refund.text', {
                  amount: amount(status.refund.amount, form.from),
                  fee: amount(status.refund.fee, form.from),
                })
              : t('choice.refund.textPlain')
          }
        >
          <ActionButton busy={false} onClick={() => open('refund')}>
            {t('choice.refund.action')}
          </ActionButton>
        </Choice>
      )}
      {!form.owner && <Choice title={t('choice.refund.title')} text={t('choice.refund.elsewhere')} />}
    </ul>
  );
}

function Accept({ claim, action, offer }: StepProps & { offer: Offer }) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status, calls } = claim;
  const { fromSumma, toSumma } = offer;
  const change = difference(form.to.amount, toSumma);
  const rate = useRate()({ from: form.from, to: form.to, course: offer.course });
  return (
    <Choice
      title={t(status.status === 'late_payment' ? 'choice.accept.titleLate' : 'choice.accept.title')}
      text={t('choice.accept.text', { from: amount(fromSumma, form.from), rate })}
    >
      <p className={css.get}>
        <span className={css.small}>{t('choice.accept.get')}</span>
        <span className={css.large}>{amount(toSumma, form.to)}</span>
        {change !== null && (
          <span className={css.small}>
            {t(change.isLess ? 'choice.accept.less' : 'choice.accept.more', { amount: amount(change.by, form.to) })}
          </span>
        )}
      </p>
      <Refusal action={action} of="accept" />
      <ActionButton
        main
        busy={action.busy === 'accept'}
        onClick={() => void action.run('accept', () => calls.accept({ fromSumma, toSumma }))}
      >
        {t(action.busy === 'accept' ? 'choice.accept.sending' : 'choice.accept.action', {
          amount: amount(toSumma, form.to),
        })}
      </ActionButton>
    </Choice>
  );
}

interface SurplusProps {
  claim: StepProps['claim'];
  surplus: NonNullable<ClaimStatus['surplus']>;
  open(): void;
}

/** The agreed amount is exchanged and the rest returned, or why it is not. */
function Surplus({ claim: { form, status }, surplus, open }: SurplusProps) {
  const t = useT('claim');
  const amount = useAmount();
  const rest = amount(surplus.amount, form.from);
  if (surplus.tooSmall)
    return <Choice title={t('choice.surplus.title')} text={t('choice.surplus.tooSmall', { rest })} />;
  if (surplus.offer === null || !status.actions.includes('return_surplus')) return null;
  const { fromSumma, toSumma } = surplus.offer;
  return (
    <Choice
      title={t('choice.surplus.title')}
      text={t('choice.surplus.text', { from: amount(fromSumma, form.from), rest })}
    >
      <p className={css.get}>
        <span className={css.small}>{t('choice.accept.get')}</span>
        <span className={css.large}>{amount(toSumma, form.to)}</span>
      </p>
      <ActionButton busy={false} onClick={open}>
        {t('choice.surplus.action', { rest })}
      </ActionButton>
    </Choice>
  );
}

function OfferOver({ until }: { until: string }) {
  const t = useT('claim');
  return useIsOver(until) ? <Notice tone="warning">{t('choice.overText')}</Notice> : null;
}
