import { amountText, timeText } from '@agio/client/format';
import { useCallback, useState } from 'react';
import type { ClaimForm, ClaimSide } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { rateOf } from '../../../components/amounts';
import { Coin } from '../../../components/Coin';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { Conditions } from '../../../pair/Conditions';
import { placeOf, readable, useAmount, useRate } from '../model/useFormats';
import { Code, Row } from '../ticket/CopyRow';
import { useIsOver } from '../ticket/Deadline';
import { Heading } from '../ticket/Ticket';
import { Consent } from './Consent';
import { CustomerTerms } from './CustomerTerms';
import { ActionButton, Actions, CancelClaim, Refusal, type StepProps } from './parts';
import css from './steps.module.css';

/** Before paying: the terms to check and confirm. */
export function ReviewStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const { form, status } = claim;
  const given = form.amlConsent;
  const [agreed, setAgreed] = useState(given);
  const [missing, setMissing] = useState(false);
  const isOver = useIsOver(status.termsEnd);
  const { customerTerms } = form;
  // Terms that changed meanwhile have to be accepted again.
  const [acceptedTerms, setAcceptedTerms] = useState<string | null>(null);
  const accepts = customerTerms === null || acceptedTerms === customerTerms.id;
  const confirm = () => {
    setMissing(!agreed || !accepts);
    if (!agreed || !accepts) return;
    void action.run('confirm', async () => {
      const consent = given ? {} : { termsVersion: await claim.calls.termsVersion(), amlConsent: true };
      return claim.calls.confirm({ ...consent, ...(customerTerms && { acceptedTerms: customerTerms.id }) });
    });
  };
  return (
    <>
      <Heading state={status.status}>{t('state.created.heading')}</Heading>
      <div className={css.sides}>
        <Side side={form.from} label={t('review.send')} />
        <Side side={form.to} label={t(form.floating ? 'stub.receiveFloating' : 'review.receive')} />
      </div>
      <div className={css.terms}>
        <Rate form={form} />
        <Fees form={form} />
        {status.termsEnd !== null && (
          <Row label={t('review.hold')}>
            <span>{t(isOver ? 'review.holdOver' : 'review.holdValue', { time: timeText(status.termsEnd) })}</span>
          </Row>
        )}
        {form.city !== null && (
          <Row label={t('meeting.place')}>
            <span>{form.city.name}</span>
            <span className={css.small}>{form.city.place ?? t('meeting.byAgreement')}</span>
          </Row>
        )}
        <Row label={t('review.email')}>
          <span className={css.anywhere}>{form.email}</span>
        </Row>
      </div>
      <PairConditions claim={claim} />
      {status.actions.includes('confirm') && (
        <>
          {customerTerms && (
            <CustomerTerms
              terms={customerTerms}
              checked={accepts}
              missing={missing && !accepts}
              onChange={(checked) => setAcceptedTerms(checked ? customerTerms.id : null)}
            />
          )}
          <Consent given={given} checked={agreed} missing={missing && !agreed} onChange={setAgreed} />
          <Refusal action={action} of="confirm" />
        </>
      )}
      <Actions>
        {status.actions.includes('confirm') && (
          <ActionButton main busy={action.busy === 'confirm'} onClick={confirm}>
            {t(action.busy === 'confirm' ? 'review.confirming' : 'review.confirm')}
          </ActionButton>
        )}
        <CancelClaim claim={claim} action={action} />
      </Actions>
    </>
  );
}

/** What the pair demands or leaves open, as on the note. Without an answer the step goes on. */
function PairConditions({ claim: { calls, form } }: Pick<StepProps, 'claim'>) {
  const { from, to, fees } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is renewed, its pair is not.
  const ask = useCallback(() => calls.pair({ from, to }), [calls, from.id, to.id]);
  const [answer] = useAnswer(ask);
  // The terms to accept have a place of their own; the fees are those agreed on.
  return <Conditions pair={answer.state === 'ready' ? { ...answer.value, customerTerms: null, fees } : null} />;
}

function Side({ side, label }: { side: ClaimSide; label: string }) {
  const amount = useAmount();
  return (
    <div className={css.side}>
      <Coin of={side} />
      <div className={css.sideWords}>
        <span className={css.small}>{label}</span>
        <span className={css.large}>{amount(side.amount, side)}</span>
        <span>{placeOf(side)}</span>
        {side.requisites.map((requisite) => (
          <span key={requisite.name} className={css.requisite}>
            <span className={css.small}>{requisite.label}</span>
            {isWords(requisite) ? requisite.value : <Code>{readable(requisite)}</Code>}
          </span>
        ))}
      </div>
    </div>
  );
}

/** What people read as words, not character by character. */
const isWords = ({ kind }: ClaimSide['requisites'][number]) => kind === 'holder' || kind === 'email' || kind === 'text';

function Rate({ form }: { form: ClaimForm }) {
  const t = useT('claim');
  const locale = useLocale();
  const write = useRate();
  const rate = write(form);
  const course = rateOf(form.from.amount, form.to.amount);
  const effective = course === null ? rate : write({ ...form, course });
  const hasBonus = Number(form.bonus) > 0;
  return (
    <Row label={t('review.rate')}>
      <span className={css.value}>{rate}</span>
      {effective !== rate && (
        <span className={css.small}>
          {t(isFree(form) ? 'review.rateRounded' : 'review.rateEffective', { rate: effective })}
        </span>
      )}
      {form.floating && <span className={css.small}>{t('review.rateFloating')}</span>}
      {hasBonus && (
        <span className={css.small}>{t('review.bonusValue', { percent: amountText(form.bonus, locale) })}</span>
      )}
      <details className={css.why}>
        <summary>{t('review.why')}</summary>
        <p>{form.rate.explanation}</p>
      </details>
    </Row>
  );
}

const isFree = ({ fees: { from, to } }: ClaimForm) => Number(from.fixed) === 0 && Number(to.fixed) === 0;

/** Percentage fees are part of the rate; only fixed ones are named. */
function Fees({ form }: { form: ClaimForm }) {
  const t = useT('claim');
  const amount = useAmount();
  const { fees, from, to } = form;
  return (
    <Row label={t('review.fees')}>
      {isFree(form) && <span>{t('review.feesNone')}</span>}
      {Number(fees.from.fixed) > 0 && <span>{t('review.feeSend', { amount: amount(fees.from.fixed, from) })}</span>}
      {Number(fees.to.fixed) > 0 && <span>{t('review.feeReceive', { amount: amount(fees.to.fixed, to) })}</span>}
    </Row>
  );
}
