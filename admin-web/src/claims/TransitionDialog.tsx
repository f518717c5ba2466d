import type { Claim, Transition } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useNotify } from 'react-admin';
import { fieldsOf } from '../api/problem.ts';
import { useNow } from '../ui/clock.ts';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { amountText, timeText } from '../ui/format.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import {
  ANSWER_IN,
  type Answers,
  inputOf,
  lacks,
  legOfAmount,
  type Need,
  NO_ANSWERS,
  needsOf,
  OWN,
  reasonsFor,
} from './asking.ts';
import { wordsOf } from './ClaimActions.tsx';
import { Deadline } from './Deadline.tsx';
import { booksPayment, datesPayment } from './deadline.ts';
import { AsAgreedCost } from './RecalculateDialog.tsx';
import { RefundFacts } from './RefundSummary.tsx';
import { paysAsAgreed } from './recalculation.ts';
import { type ClaimMoves, isOutdated } from './useClaimMoves.ts';

type Props = { claim: Claim; transition: Transition; moves: ClaimMoves; onClose: () => void };

/** Steps before which it is shown what goes back, and where to. */
const RETURNING: Transition['action'][] = ['refund', 'refund_sent'];

/** Says what a step will do and asks for exactly what it needs. */
export function TransitionDialog({ claim, transition, moves, onClose }: Props) {
  const { t, language } = useWords();
  const notify = useNotify();
  const [answers, setAnswers] = useState<Answers>(NO_ANSWERS);
  const [tried, setTried] = useState(false);
  const missing = lacks(transition, answers);
  const send = async () => {
    setTried(true);
    if (missing.length > 0 || moves.busy) return;
    try {
      const moved = await moves.move(inputOf(claim, transition, answers, Date.now()));
      if (moved?.status === 'late_payment' && transition.to !== 'late_payment') {
        notify(t('deadline.becameLate'), { type: 'warning', autoHideDuration: null });
      }
      onClose();
    } catch (error) {
      // The panel says that the claim is another one by now; here there is nothing left to ask.
      if (isOutdated(error)) onClose();
    }
  };
  const { from, to, paidOut } = claim;
  const sum = (amount: string, { ticker }: Claim['from']) => `${amountText(amount, language)} ${ticker}`;
  const words = {
    in: sum(from.amount, from),
    out: sum(paidOut?.left ?? to.amount, to),
    paid: sum(paidOut?.paid ?? '0', to),
    number: claim.publicId,
  };
  const texts = wordsOf(claim, transition);
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={send}
      title={t(`${texts}.title`, words)}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            variant={transition.danger ? 'outlined' : 'contained'}
            color={transition.danger ? 'error' : 'inherit'}
            disabled={moves.busy}
            endIcon={<Kbd>Ctrl Enter</Kbd>}
          >
            {t(`${texts}.do`)}
          </Button>
        </>
      }
    >
      <p>{t(`${texts}.text`, words)}</p>
      {booksPayment(transition) && !paysAsAgreed(claim, transition) && <Deadline claim={claim} asked />}
      {paysAsAgreed(claim, transition) && transition.consent && <AsAgreedCost claim={claim} />}
      {RETURNING.includes(transition.action) && claim.returned && (
        <RefundFacts claim={claim} returned={claim.returned} />
      )}
      {datesPayment(claim, transition) && (
        <Field
          label={t('ask.paidAt')}
          help={t(claim.terms?.passed ? 'ask.paidAtPassed' : 'ask.paidAtHelp')}
          type="datetime-local"
          value={answers.paidAt}
          error={fieldsOf(moves.refusal).paidAt}
          onValue={(paidAt) => setAnswers({ ...answers, paidAt })}
        />
      )}
      {[...needsOf(transition).filter((need) => need !== 'note'), 'note' as const].map((need) => (
        <Question
          key={need}
          need={need}
          claim={claim}
          transition={transition}
          answers={answers}
          error={fieldsOf(moves.refusal)[need] ?? (tried && missing.includes(need) ? t('error.required') : undefined)}
          onAnswer={(answer) => setAnswers({ ...answers, ...answer })}
        />
      ))}
      <Refusal error={moves.refusal} />
    </Modal>
  );
}

type QuestionProps = {
  need: Need;
  claim: Claim;
  transition: Transition;
  answers: Answers;
  error?: string;
  onAnswer: (answer: Partial<Answers>) => void;
};

function Question({ need, claim, transition, answers, error, onAnswer }: QuestionProps) {
  const { t, language } = useWords();
  const paid = `${amountText(claim.paidOut?.paid ?? '0', language)} ${claim.to.ticker}`;
  switch (need) {
    case 'reason':
      return <Reason transition={transition} answers={answers} error={error} onAnswer={onAnswer} />;
    case 'answerBy':
      return <AnswerBy answers={answers} error={error} onAnswer={onAnswer} />;
    case 'txId':
      return (
        <Field
          label={t('ask.txId')}
          help={t('ask.txIdHelp')}
          value={answers.txId}
          error={error}
          autoComplete="off"
          autoFocus
          onValue={(txId) => onAnswer({ txId })}
        />
      );
    case 'amount': {
      const leg = legOfAmount(claim, transition);
      return (
        <NumberField
          label={t(leg === claim.to ? 'ask.amountOut' : 'ask.amountIn', { ticker: leg.ticker })}
          help={leg === claim.to && claim.paidOut ? t('ask.amountOutHelp', { paid }) : undefined}
          value={answers.amount}
          error={error}
          onValue={(amount) => onAnswer({ amount })}
        />
      );
    }
    case 'note':
      return (
        <Field
          label={t(transition.needs.includes('note') ? 'ask.note' : 'ask.noteOptional')}
          value={answers.note}
          error={error}
          multiline
          minRows={2}
          onValue={(note) => onAnswer({ note })}
        />
      );
  }
}

type PartProps = { answers: Answers; error?: string; onAnswer: (answer: Partial<Answers>) => void };

function Reason({ transition, answers, error, onAnswer }: PartProps & { transition: Transition }) {
  const { t } = useWords();
  const options = [
    ...reasonsFor(transition.action).map((code) => ({ value: code, label: t(`reasons.${code}`) })),
    { value: OWN, label: t('reasons.own') },
  ];
  const own = answers.reason === OWN;
  return (
    <>
      <Choice
        label={t('ask.reason')}
        help={own ? undefined : t('ask.reasonHelp')}
        value={answers.reason}
        error={own ? undefined : error}
        options={options}
        onValue={(reason) => onAnswer({ reason })}
      />
      {own && (
        <Field
          label={t('ask.words')}
          value={answers.words}
          error={error}
          multiline
          minRows={2}
          autoFocus
          onValue={(words) => onAnswer({ words })}
        />
      )}
    </>
  );
}

function AnswerBy({ answers, error, onAnswer }: PartProps) {
  const { t, language } = useWords();
  const now = useNow();
  return (
    <Choice
      label={t('ask.answerBy')}
      help={t('ask.answerByHelp', { time: timeText(now + Number(answers.answerIn) * 60_000, language) })}
      value={answers.answerIn}
      error={error}
      options={ANSWER_IN.map((minutes) => ({ value: minutes, label: t(`ask.in.${minutes}`) }))}
      onValue={(answerIn) => onAnswer({ answerIn })}
    />
  );
}
