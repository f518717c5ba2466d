import { useNotify } from 'react-admin';
import { useNow } from '../ui/clock.ts';
import { Button, Choice, Field, type Form, FormDialog, Kbd, NumberField, useTexts } from '../ui/index.ts';
import { missingFields } from '../ui/missing.ts';
import { Deadline } from './Deadline.tsx';
import { booksPayment, datesPayment } from './deadline.ts';
import css from './Facts.module.css';
import { PayoutFacts } from './Outgoing.tsx';
import { AsAgreedCost } from './RecalculateDialog.tsx';
import { RefundFacts } from './RefundSummary.tsx';
import { paysAsAgreed } from './recalculation.ts';
import { ChangedNote, CheckedButton, useRecheck } from './recheck.tsx';
import { TransactionField } from './SharedTransaction.tsx';
import {
  ANSWER_IN,
  EMPTY_DRAFT,
  inputOf,
  missingIn,
  type Need,
  needsOf,
  OWN,
  reasonsFor,
  sideOfAmount,
  type TransitionDraft,
} from './transitionFields.ts';
import { offered, textsOf } from './transitions.ts';
import type { Claim, ClaimSide, Transition } from './types.ts';
import { type ClaimActions, isLocked, isOutdated, STALE_BY_CLAIM } from './useClaimActions.ts';

type Props = { claim: Claim; transition: Transition; held: boolean; actions: ClaimActions; onClose: () => void };

/** Steps before which the refund is shown. */
const REFUNDS: Transition['action'][] = ['refund', 'refund_sent'];

/**
 * Shows the effect of a step and asks for what it needs. While another has the claim it waits with what was typed. Once
 * the step is gone, nothing is left of it that somebody could still pay by.
 */
export function TransitionDialog({ claim, transition, held, actions, onClose }: Props) {
  const { t, amountText } = useTexts();
  const notify = useNotify();
  const { from, to, paidOut } = claim;
  const sum = (amount: string, { ticker }: ClaimSide) => `${amountText(amount)} ${ticker}`;
  const amounts = {
    in: sum(from.amount, from),
    out: sum(paidOut?.left ?? to.amount, to),
    paid: sum(paidOut?.paid ?? '0', to),
    number: claim.publicId,
  };
  const texts = textsOf(claim, transition);
  const { isChanged, accept } = useRecheck(claim);
  const isGone = !offered(claim).some(
    ({ action, consent }) => action === transition.action && consent === transition.consent,
  );
  const save = async (draft: TransitionDraft) => {
    const missing = missingIn(transition, draft);
    if (missing.length > 0) {
      const isTyped = (need: Need) => need === 'amount' && draft.amount.trim() !== '';
      throw missingFields(missing, (need) => t(isTyped(need) ? 'error.number' : 'error.required'));
    }
    try {
      return await actions.transition(inputOf(claim, transition, draft, Date.now()));
    } catch (error) {
      // The panel shows that the claim has changed.
      if (isOutdated(error) && !isLocked(error)) onClose();
      throw error;
    }
  };
  return (
    <FormDialog
      title={t(`${texts}.title`, amounts)}
      initial={EMPTY_DRAFT}
      save={save}
      isReady={() => !held && !isGone && !isChanged}
      actions={(form) => {
        if (isGone || form.isPending) return null;
        if (held) return <Button onClick={actions.takeOver}>{t('claim.takeOver')}</Button>;
        return isChanged && <CheckedButton onCheck={accept} />;
      }}
      submit={t(`${texts}.do`)}
      submitIcon={<Kbd>Ctrl Enter</Kbd>}
      danger={transition.danger}
      stale={STALE_BY_CLAIM}
      onDone={({ status }) => {
        if (status === 'late_payment' && transition.to !== 'late_payment') {
          notify(t('deadline.becameLate'), { type: 'warning', autoHideDuration: null });
        }
      }}
      onClose={onClose}
    >
      {(form) => (
        <>
          {held && !isGone && <p role="alert">{t('claim.heldBy', { name: claim.holder?.name ?? '' })}</p>}
          {isGone && !form.isPending ? (
            <p className={css.again} role="alert">
              {t('recheck.gone', { status: t(`statusFull.${claim.status}`) })}
            </p>
          ) : (
            <>
              {isChanged && !form.isPending && <ChangedNote />}
              <Effect claim={claim} transition={transition} text={t(`${texts}.text`, amounts)} />
            </>
          )}
          {datesPayment(claim, transition) && (
            <Field
              label={t('ask.paidAt')}
              help={t(claim.terms?.passed ? 'ask.paidAtPassed' : 'ask.paidAtHelp')}
              type="datetime-local"
              {...form.field('paidAt')}
            />
          )}
          {[...needsOf(transition).filter((need) => need !== 'note'), 'note' as const].map((need) => (
            <NeedField key={need} need={need} claim={claim} transition={transition} form={form} />
          ))}
        </>
      )}
    </FormDialog>
  );
}

/** What the step does, and the amounts and details that it is about. */
function Effect({ claim, transition, text }: { claim: Claim; transition: Transition; text: string }) {
  const isAsAgreed = paysAsAgreed(claim, transition);
  return (
    <>
      <p>{text}</p>
      {booksPayment(transition) && !isAsAgreed && <Deadline claim={claim} always />}
      {isAsAgreed && transition.consent && <AsAgreedCost claim={claim} />}
      {REFUNDS.includes(transition.action) && claim.returned && <RefundFacts claim={claim} returned={claim.returned} />}
      {transition.action === 'payout_sent' && <PayoutFacts claim={claim} />}
    </>
  );
}

type NeedProps = { need: Need; claim: Claim; transition: Transition; form: Form<TransitionDraft> };

function NeedField({ need, claim, transition, form: { field, error, draft } }: NeedProps) {
  const { t, amountText, dateTimeText } = useTexts();
  const now = useNow();
  switch (need) {
    case 'reason': {
      const options = [
        ...reasonsFor(transition.action).map((code) => ({ value: code, label: t(`reasons.${code}`) })),
        { value: OWN, label: t('reasons.own') },
      ];
      const isOwn = draft.reason === OWN;
      return (
        <>
          <Choice
            label={t('fields.reason')}
            help={isOwn ? undefined : t('ask.reasonHelp')}
            options={options}
            {...field('reason')}
            error={isOwn ? undefined : error('reason')}
          />
          {isOwn && (
            <Field
              label={t('ask.words')}
              multiline
              minRows={2}
              autoFocus
              {...field('ownReason')}
              error={error('reason')}
            />
          )}
        </>
      );
    }
    case 'answerBy':
      return (
        <Choice
          label={t('ask.answerBy')}
          help={t('ask.answerByHelp', {
            time: dateTimeText(new Date(now + Number(draft.answerIn) * 60_000).toISOString(), now),
          })}
          options={ANSWER_IN.map((minutes) => ({ value: minutes, label: t(`ask.in.${minutes}`) }))}
          {...field('answerIn')}
          error={error('answerBy')}
        />
      );
    case 'txId':
      return <TransactionField claim={claim} {...field('txId')} />;
    case 'meetingCode':
      return (
        <Field
          label={t('ask.meetingCode')}
          help={t('ask.meetingCodeHelp')}
          autoComplete="off"
          autoFocus
          inputProps={{ inputMode: 'numeric' }}
          {...field('meetingCode')}
        />
      );
    case 'amount': {
      const side = sideOfAmount(claim, transition);
      const paid = `${amountText(claim.paidOut?.paid ?? '0')} ${claim.to.ticker}`;
      return (
        <NumberField
          label={t(side === claim.to ? 'ask.amountOut' : 'ask.amountIn', { ticker: side.ticker })}
          help={side === claim.to && claim.paidOut ? t('ask.amountOutHelp', { paid }) : undefined}
          {...field('amount')}
        />
      );
    }
    case 'note':
      return (
        <Field
          label={t(transition.needs.includes('note') ? 'ask.note' : 'ask.noteOptional')}
          multiline
          minRows={2}
          {...field('note')}
        />
      );
  }
}
