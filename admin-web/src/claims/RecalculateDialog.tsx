import type { Claim, Leg, Recalculation } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { type ReactNode, useState } from 'react';
import { readableCourse } from '../pairs/matrix.ts';
import { Amount } from '../ui/Amount.tsx';
import { isZero } from '../ui/decimal.ts';
import { amountText } from '../ui/format.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Facts.module.css';
import { costOf, isRateChanged, useRecalculation } from './recalculation.ts';
import { type ClaimMoves, isOutdated } from './useClaimMoves.ts';

/** Shows what the customer gets for the amount that came, and exchanges it at exactly these numbers or asks again. */
export function RecalculateDialog({ claim, moves, onClose }: { claim: Claim; moves: ClaimMoves; onClose: () => void }) {
  const { t } = useWords();
  const preview = useRecalculation(claim.id);
  const [moved, setMoved] = useState(false);
  const shown = preview.isError ? undefined : preview.data;
  const isReady = shown !== undefined && !preview.isFetching && !moves.busy;
  const send = async () => {
    if (!isReady) return;
    const { revision, came, receive } = shown;
    try {
      await moves.move({ action: 'recalculate', revision, terms: { came, receive } });
      onClose();
    } catch (error) {
      if (isOutdated(error)) onClose();
      if (!isRateChanged(error)) return;
      setMoved(true);
      await preview.refetch();
    }
  };
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={send}
      title={t('moves.recalculate.title')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!isReady} endIcon={<Kbd>Ctrl Enter</Kbd>}>
            {t('moves.recalculate.do')}
          </Button>
        </>
      }
    >
      {preview.isPending && <SkeletonRows rows={4} height={36} />}
      {preview.isError && (
        <>
          <Refusal error={preview.error} />
          <p>{t('recalculation.impossible')}</p>
        </>
      )}
      {moved && shown && (
        <p className={css.again} role="alert">
          {t('recalculation.again')}
        </p>
      )}
      {shown && <Preview claim={claim} shown={shown} />}
      {!isRateChanged(moves.refusal) && <Refusal error={moves.refusal} />}
    </Modal>
  );
}

function Preview({ claim: { from, to }, shown }: { claim: Claim; shown: Recalculation }) {
  const { t } = useWords();
  const { agreed, income } = shown;
  return (
    <>
      <p>{t(`recalculation.basis.${shown.basis}`)}</p>
      <table className={css.compare}>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('recalculation.agreed')}</th>
            <th scope="col">{t('recalculation.now')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t('recalculation.gives')}</th>
            <td>{of(agreed.send, from)}</td>
            <td>{of(shown.came, from)}</td>
          </tr>
          <tr className={css.outcome}>
            <th scope="row">{t('recalculation.gets')}</th>
            <td>{of(agreed.receive, to)}</td>
            <td>{of(shown.receive, to)}</td>
          </tr>
          <tr>
            <th scope="row">{t('recalculation.rate')}</th>
            <td>
              <Course course={agreed.course} from={from} to={to} />
            </td>
            <td>
              <Course course={shown.course} from={from} to={to} />
            </td>
          </tr>
        </tbody>
      </table>
      <dl className={css.list}>
        <Line name={t('recalculation.fees')}>
          <Fees shown={shown} from={from} to={to} />
        </Line>
        {!isZero(income.feeFrom) && <Line name={t('recalculation.feeFrom')}>{of(income.feeFrom, from)}</Line>}
        {!isZero(income.feeTo) && <Line name={t('recalculation.feeTo')}>{of(income.feeTo, to)}</Line>}
        <Line name={t('recalculation.spread')}>{of(income.spread, to)}</Line>
      </dl>
    </>
  );
}

const of = (amount: string, leg: Leg) => (
  <>
    <Amount value={amount} /> {leg.ticker}
  </>
);

function Course({ course, from, to }: { course: string; from: Leg; to: Leg }) {
  const { t, language } = useWords();
  const { text, inverted } = readableCourse(course);
  const [one, many] = inverted ? [to, from] : [from, to];
  return (
    <>
      {amountText(text, language)} {t('pairs.perOne', { many: many.ticker, one: one.ticker })}
    </>
  );
}

function Fees({ shown: { fees }, from, to }: { shown: Recalculation; from: Leg; to: Leg }) {
  const { t, language } = useWords();
  const parts = [
    ...(isZero(fees.from.fixed) ? [] : [`${amountText(fees.from.fixed, language)} ${from.ticker}`]),
    ...(isZero(fees.from.percent)
      ? []
      : [t('recalculation.ofSent', { percent: amountText(fees.from.percent, language) })]),
    ...(isZero(fees.to.fixed) ? [] : [`${amountText(fees.to.fixed, language)} ${to.ticker}`]),
    ...(isZero(fees.to.percent)
      ? []
      : [t('recalculation.ofReceived', { percent: amountText(fees.to.percent, language) })]),
  ];
  return <>{parts.length === 0 ? t('recalculation.noFees') : parts.join(', ')}</>;
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd>
        <span>{children}</span>
      </dd>
    </div>
  );
}

/** What paying as agreed for another amount means in money. */
export function AsAgreedCost({ claim }: { claim: Claim }) {
  const { t, language } = useWords();
  const preview = useRecalculation(claim.id);
  const { from, to, payment } = claim;
  const cost = preview.data && costOf(preview.data);
  return (
    <>
      <dl className={css.list}>
        {payment && <Line name={t('recalculation.came')}>{of(payment.received, from)}</Line>}
        <Line name={t('recalculation.agreedSend')}>{of(from.amount, from)}</Line>
        <Line name={t('recalculation.paysOut')}>{of(to.amount, to)}</Line>
        {preview.data && <Line name={t('recalculation.wouldGet')}>{of(preview.data.receive, to)}</Line>}
      </dl>
      {preview.isPending && <SkeletonRows rows={1} height={36} />}
      {preview.isError && <Refusal error={preview.error} />}
      {cost?.payer && (
        <p className={cost.payer === 'exchange' ? css.costs : undefined}>
          {t(`recalculation.cost.${cost.payer}`, { amount: `${amountText(cost.amount, language)} ${to.ticker}` })}
        </p>
      )}
    </>
  );
}
