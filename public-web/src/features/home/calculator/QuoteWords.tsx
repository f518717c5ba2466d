import type { Floating, Pair } from '../../../api/types';
import { writeAmount, writeMoney } from '../../../components/amounts';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import type { Remark } from './entry';
import styles from './QuoteWords.module.css';
import type { Calculator } from './useCalculator';

export type Note =
  /** What became of an amount when its field was left. */
  | { about: 'amount'; kind: Exclude<Remark['kind'], 'min' | 'max'>; unit: string; count: number }
  /** The rate changed by itself since an amount was typed. */
  | { about: 'change'; calculator: Calculator }
  /** The most that would be exchanged, to be taken by pressing it. */
  | { about: 'most'; amount: string; ticker: string; take: () => void }
  /** What has to be known before the button is pressed. */
  | { about: 'terms'; pair: Pair };

export function QuoteWords({ note }: { note: Note }) {
  const t = useT('quote');
  const locale = useLocale();
  switch (note.about) {
    case 'amount':
      return t(`amount_${note.kind}`, { unit: note.unit, count: note.count });
    case 'change':
      return <Change calculator={note.calculator} />;
    case 'most':
      return (
        <button type="button" className="linkbtn" onClick={note.take}>
          {t('take_most', { amount: writeMoney(note.amount, note.ticker, locale) })}
        </button>
      );
    case 'terms':
      return <Terms pair={note.pair} />;
  }
}

/** What the amount was, and is. */
function Change({ calculator: { before, amounts, entry, from, to } }: { calculator: Calculator }) {
  const t = useT('quote');
  const locale = useLocale();
  // The side that was typed stays; it is the other one that moved, but for what rounding does.
  const isSend =
    before !== null && before.send !== amounts.send && (entry.side === 'to' || before.receive === amounts.receive);
  const side = isSend ? 'send' : 'receive';
  const [was, now, of] = [before?.[side], amounts[side], isSend ? from : to];
  if (!was || !now || !of) {
    return null;
  }
  const write = (amount: string) => writeMoney(amount, of.ticker, locale);
  return t(`changed_${side}`, { was: write(was), now: write(now) });
}

/** That the rate is not fixed yet, and that photos will be asked for. */
function Terms({ pair: { floating, verification } }: { pair: Pair }) {
  const t = useT('quote');
  return (
    <ul className={styles.terms}>
      {floating ? <FloatingRate floating={floating} /> : null}
      {verification ? <li>{t(`verification_${verification}`)}</li> : null}
    </ul>
  );
}

function FloatingRate({ floating: { confirmations, minutes, source, deviationPercent } }: { floating: Floating }) {
  const t = useT('quote');
  const locale = useLocale();
  const params = { source, minutes, change: writeChange(deviationPercent, locale) };
  return (
    <li>
      {confirmations === null ? t('floating_staff', params) : t('floating', { ...params, number: confirmations })}
    </li>
  );
}

/** " −1,5 %": how far the rate will be from that of the source. */
function writeChange(percent: string, locale: Locale): string {
  const sign = percent.startsWith('-') ? '' : '+';
  return Number(percent) === 0 ? '' : ` ${sign}${writeAmount(percent, locale)}\u00a0%`;
}
