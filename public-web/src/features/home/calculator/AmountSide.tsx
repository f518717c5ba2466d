import type { ReactNode, RefObject } from 'react';
import type { Direction, PairSide } from '../../../api/types';
import { moneyText, unitOf } from '../../../components/amounts';
import { cx } from '../../../components/cx';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './AmountSide.module.css';
import { isRefused, type Remark, type Side } from './entry';
import { QuoteNote } from './QuoteNote';

interface AmountSideProps {
  side: Side;
  text: string;
  direction: Direction | null;
  limits: PairSide | null;
  remark: Remark | null;
  /** The step that replaced the amount, with its currency. */
  step: string | null;
  error: string | null;
  input: RefObject<HTMLInputElement | null>;
  onType: (text: string) => void;
  onLeave: () => void;
  onSet: (value: string) => void;
  onTakeBack: () => void;
  children: ReactNode;
}

/** One side of the exchange: its amount, its currency, its limits. */
export function AmountSide(props: AmountSideProps) {
  const { side, text, direction, remark, input, onType, onLeave, error, children } = props;
  const t = useT('home');
  const id = `amount-${side}`;
  const label = t(side === 'from' ? 'give' : 'receive');
  return (
    <div className={cx(styles.side, side === 'to' && styles.receive)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.amount}>
        <input
          ref={input}
          id={id}
          className={cx(styles.input, text.length > 11 && styles.long, text.length > 16 && styles.longer)}
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="done"
          value={text}
          aria-label={direction ? `${label}, ${unitOf(direction.ticker)}` : undefined}
          aria-describedby={`${id}-limits`}
          aria-invalid={error || (remark?.side === side && isRefused(remark)) ? true : undefined}
          onChange={(event) => onType(event.target.value)}
          onBlur={onLeave}
        />
      </div>
      <div className={styles.currency}>{children}</div>
      <div id={`${id}-limits`} className={styles.limits} aria-live="polite">
        {error ? <p className={styles.error}>{error}</p> : <Limits {...props} />}
      </div>
    </div>
  );
}

function Limits({ side, direction, limits, remark, step, onSet, onTakeBack }: AmountSideProps) {
  const t = useT('home');
  const locale = useLocale();
  if (direction === null || limits === null) return <Skeleton className={styles.limitsBlank} />;
  const money = (value: string) => moneyText(value, direction.ticker, locale);
  if (remark?.side === side) {
    const { kind, was } = remark;
    if (kind !== 'min' && kind !== 'max' && kind !== 'step') {
      return (
        <p className={isRefused(remark) ? styles.error : styles.snap}>
          <QuoteNote note={{ about: 'amount', kind, unit: unitOf(direction.ticker), count: limits.roundCalculator }} />
        </p>
      );
    }
    const bound = kind === 'step' ? step : limits[kind] && money(limits[kind]);
    if (bound !== null) {
      return (
        <p className={styles.snap}>
          {t(`snapped_${kind}`, { amount: bound })}
          {was ? (
            <>
              {' '}
              <button type="button" className="linkbtn" onClick={onTakeBack}>
                {t('take_back', { amount: was })}
              </button>
            </>
          ) : null}
        </p>
      );
    }
  }
  const button = (value: string) => (
    <button type="button" className="linkbtn num" onClick={() => onSet(value)}>
      {money(value)}
    </button>
  );
  return (
    <>
      {limits.min === null ? null : (
        <span>
          {t('limit_from')} {button(limits.min)}
        </span>
      )}
      {limits.max === null ? null : (
        <span>
          {t('limit_to')} {button(limits.max)}
        </span>
      )}
      {limits.step === null ? null : <span>{t('limit_step', { amount: money(limits.step) })}</span>}
    </>
  );
}
