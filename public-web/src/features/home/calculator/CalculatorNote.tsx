import { amountText, timeText } from '@agio/client/format';
import { type FormEvent, useRef, useState } from 'react';
import type { Direction } from '../../../api/types';
import { moneyText } from '../../../components/amounts';
import { cx } from '../../../components/cx';
import { Rosette } from '../../../components/Guilloche';
import { Icon } from '../../../components/Icon';
import { Micro } from '../../../components/Micro';
import { Perforation } from '../../../components/Perforation';
import { toAmount } from '../../../engine/decimal';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { StubForm } from '../claim/StubForm';
import { useStub } from '../claim/useStub';
import { prepareClaim, useSubmission } from '../claim/useSubmission';
import { Notices } from '../notices/Notices';
import { AmountSide } from './AmountSide';
import styles from './CalculatorNote.module.css';
import { CityChoice } from './CityChoice';
import { CurrencyButton } from './CurrencyButton';
import type { Side } from './entry';
import { Facts } from './Facts';
import type { Calculator } from './useCalculator';

/** The calculator: two amounts, the swap button, the facts, and the form below. */
export function CalculatorNote({ calculator }: { calculator: Calculator }) {
  const t = useT('home');
  const { pair, from, to, selection } = calculator;
  const stub = useStub(pair, calculator.city);
  const submission = useSubmission(calculator, stub);
  const [picking, setPicking] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!submission.busy) {
      submission.submit();
    }
  };
  return (
    <form className={styles.note} onSubmit={onSubmit} onFocus={prepareClaim} noValidate aria-label={t('note')}>
      <div className={cx(styles.face, picking && styles.picking)}>
        <div className={styles.clip}>
          {from && to ? <Rosette from={from} to={to} className={styles.print} /> : null}
        </div>
        <NoteHead from={from} to={to} quote={pair?.quote.signature ?? ''} />
        <div className={styles.sides}>
          <NoteSide side="from" calculator={calculator} error={stub.errors.amount ?? null} onPicking={setPicking} />
          <div className={styles.swapCell}>
            <button
              type="button"
              className={styles.swap}
              disabled={!calculator.canSwap}
              onClick={calculator.swap}
              aria-label={t('swap')}
            >
              <Icon name="swap" />
            </button>
          </div>
          <NoteSide side="to" calculator={calculator} error={null} onPicking={setPicking} />
        </div>
        <CityChoice calculator={calculator} error={stub.errors.city} onChoose={() => stub.clear('city')} />
        {selection.failures > 0 ? (
          <p className={styles.failed} role="alert">
            {selection.isLost
              ? pair
                ? t('pair_old', { time: timeText(selection.pairAt) })
                : t('pair_lost')
              : t('pair_failed')}{' '}
            <button type="button" className="linkbtn" onClick={calculator.renew}>
              {t('retry')}
            </button>
          </p>
        ) : null}
        <Facts
          pair={pair}
          from={from}
          to={to}
          rate={rateAt(calculator)}
          amounts={calculator.amounts}
          quoteSpan={selection.quoteSpan}
          isOld={selection.failures > 0}
        />
      </div>
      <Perforation />
      <StubForm stub={stub} submission={submission} calculator={calculator} />
      <Notices pair={pair} />
    </form>
  );
}

/** The rate of the typed amount's tier. */
function rateAt({ pair, amounts }: Calculator): string | null {
  if (pair === null) return null;
  const give = toAmount(amounts.give ?? '0');
  const tier = pair.tiers.findLast(({ min }) => toAmount(min) <= give);
  return tier?.course ?? pair.course;
}

function NoteHead({ from, to, quote }: { from: Direction | null; to: Direction | null; quote: string }) {
  const t = useT('home');
  const codes = from && to ? `${from.code} ${to.code}` : '';
  // Of the signature, because the signed text begins alike in every quote.
  const serial = quote
    .replace(/[^a-z0-9]/gi, '')
    .slice(0, 8)
    .toUpperCase();
  return (
    <>
      <div className={styles.head}>
        <span className="muted small">
          {t('note')}
          {from && to ? (
            <span className="wide-only">{` · ${t('note_pair', { from: from.code, to: to.code })}`}</span>
          ) : null}
        </span>
        <span className={cx(styles.serial, 'small num')} aria-hidden="true">
          {serial ? `№\u00a0${serial.slice(0, 4)}\u00a0${serial.slice(4)}` : ''}
        </span>
      </div>
      <Micro className={styles.micro} text={`${codes} ${serial} · `} />
    </>
  );
}

interface NoteSideProps {
  side: Side;
  calculator: Calculator;
  error: string | null;
  onPicking: (picking: boolean) => void;
}

/** The step that replaced an amount, with its currency. */
function stepText({ pair, remark }: Calculator, locale: Locale): string | null {
  const step = remark?.step && pair?.[remark.step].step;
  return step ? moneyText(step, pair.structure[remark.step ?? 'from'].currency.ticker, locale) : null;
}

function NoteSide({ side, calculator, error, onPicking }: NoteSideProps) {
  const locale = useLocale();
  const input = useRef<HTMLInputElement>(null);
  const { pair, entry, amounts, market, selection } = calculator;
  const chosen = side === 'from' ? calculator.from : calculator.to;
  const computed = side === 'from' ? amounts.give : amounts.receive;
  const decimals = side === 'to' && pair && pair.to.roundCalculator === 2 ? 2 : 0;
  const isTyped = entry.side === side && (entry.isOpen || computed === null);
  const text = isTyped ? entry.text : computed === null ? '' : amountText(computed, locale, decimals);
  const ids = side === 'from' ? (market?.sendable ?? []) : selection.receivable;
  const options = ids.flatMap((id) => market?.directions.get(id) ?? []);
  return (
    <AmountSide
      side={side}
      text={text}
      direction={chosen}
      limits={pair?.[side] ?? null}
      remark={calculator.remark}
      step={stepText(calculator, locale)}
      error={error}
      input={input}
      onType={(typed) => calculator.type(side, typed)}
      onLeave={calculator.leave}
      onSet={(value) => calculator.set(side, value)}
      onTakeBack={() => {
        calculator.takeBack();
        input.current?.focus();
      }}
    >
      <CurrencyButton
        side={side}
        chosen={chosen}
        options={options}
        onChoose={(id) => calculator.choose(side, id)}
        onOpen={onPicking}
      />
    </AmountSide>
  );
}
