import { type ReactNode, useState } from 'react';
import { readableRate } from '../pairs/matrix.ts';
import { isZero } from '../ui/decimal.ts';
import { Amount, FormDialog, Kbd, Refusal, SkeletonRows, useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { PlainFact } from './Facts.tsx';
import { costOf, isRateChanged, useRecalculation } from './recalculation.ts';
import type { Claim, ClaimSide, Recalculation } from './types.ts';
import { type ClaimActions, isOutdated, STALE_BY_CLAIM } from './useClaimActions.ts';

type Props = { claim: Claim; actions: ClaimActions; onClose: () => void };

/** Shows what the customer receives for the amount that arrived, and exchanges it at exactly these numbers. */
export function RecalculateDialog({ claim, actions, onClose }: Props) {
  const { t } = useTexts();
  const preview = useRecalculation(claim.id);
  // The numbers on the screen change only when the server refuses them.
  const [accepted, setAccepted] = useState<Recalculation | null>(null);
  const [isChanged, setChanged] = useState(false);
  const shown = accepted ?? (preview.isError ? undefined : preview.data);
  if (!accepted && shown && !preview.isFetching) setAccepted(shown);
  const save = async () => {
    if (!accepted) throw new Error('there is no preview');
    const { revision, came, receive } = accepted;
    try {
      return await actions.transition({ action: 'recalculate', revision, terms: { came, receive } });
    } catch (error) {
      if (isOutdated(error)) onClose();
      if (isRateChanged(error)) {
        setChanged(true);
        setAccepted((await preview.refetch()).data ?? null);
      }
      throw error;
    }
  };
  return (
    <FormDialog
      title={t('moves.recalculate.title')}
      initial={{}}
      isReady={() => accepted !== null}
      save={save}
      submit={t('moves.recalculate.do')}
      submitIcon={<Kbd>Ctrl Enter</Kbd>}
      stale={STALE_BY_CLAIM}
      onClose={onClose}
    >
      {() => (
        <>
          {preview.isPending && <SkeletonRows rows={4} height={36} />}
          {preview.isError && (
            <>
              <Refusal error={preview.error} />
              <p>{t('recalculation.impossible')}</p>
            </>
          )}
          {isChanged && shown && (
            <p className={css.again} role="alert">
              {t('recalculation.again')}
            </p>
          )}
          {shown && <Preview claim={claim} shown={shown} />}
        </>
      )}
    </FormDialog>
  );
}

function Preview({ claim: { from, to }, shown }: { claim: Claim; shown: Recalculation }) {
  const { t } = useTexts();
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
            <th scope="row">{t('returned.amount')}</th>
            <td>{of(agreed.receive, to)}</td>
            <td>{of(shown.receive, to)}</td>
          </tr>
          <tr>
            <th scope="row">{t('recalculation.rate')}</th>
            <td>
              <RateText rate={agreed.rate} from={from} to={to} />
            </td>
            <td>
              <RateText rate={shown.rate} from={from} to={to} />
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

const of = (amount: string, side: ClaimSide) => (
  <>
    <Amount value={amount} /> {side.ticker}
  </>
);

function RateText({ rate, from, to }: { rate: string; from: ClaimSide; to: ClaimSide }) {
  const { t, amountText } = useTexts();
  const { text, inverted } = readableRate(rate);
  const [one, many] = inverted ? [to, from] : [from, to];
  return (
    <>
      {amountText(text)} {t('pairs.perOne', { many: many.ticker, one: one.ticker })}
    </>
  );
}

function Fees({ shown: { fees }, from, to }: { shown: Recalculation; from: ClaimSide; to: ClaimSide }) {
  const { t, amountText, percentText } = useTexts();
  const parts = [
    ...(isZero(fees.from.fixed) ? [] : [`${amountText(fees.from.fixed)} ${from.ticker}`]),
    ...(isZero(fees.from.percent) ? [] : [t('recalculation.ofSent', { percent: percentText(fees.from.percent) })]),
    ...(isZero(fees.to.fixed) ? [] : [`${amountText(fees.to.fixed)} ${to.ticker}`]),
    ...(isZero(fees.to.percent) ? [] : [t('recalculation.ofReceived', { percent: percentText(fees.to.percent) })]),
  ];
  return <>{parts.length === 0 ? t('state.none') : parts.join(', ')}</>;
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <PlainFact name={name}>
      <span>{children}</span>
    </PlainFact>
  );
}

/** The cost of paying as agreed for another amount. */
export function AsAgreedCost({ claim }: { claim: Claim }) {
  const { t, amountText } = useTexts();
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
          {t(`recalculation.cost.${cost.payer}`, { amount: `${amountText(cost.amount)} ${to.ticker}` })}
        </p>
      )}
    </>
  );
}
