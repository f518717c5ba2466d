import type { Floating, Pair } from '../../../api/types';
import { writeAmount, writeMoney } from '../../../components/amounts';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import type { Remark } from './entry';
import styles from './QuoteWords.module.css';

export type Note =
  /** What became of an amount when its field was left. */
  | { about: 'amount'; kind: Exclude<Remark['kind'], 'min' | 'max'>; unit: string; count: number }
  /** The rate changed by itself: what an amount was, and is. */
  | { about: 'change'; side: 'send' | 'receive'; was: string; now: string; ticker: string }
  /** What has to be known before the button is pressed. */
  | { about: 'terms'; pair: Pair };

export function QuoteWords({ note }: { note: Note }) {
  const t = useT('quote');
  const locale = useLocale();
  switch (note.about) {
    case 'amount':
      return t(`amount_${note.kind}`, { unit: note.unit, count: note.count });
    case 'change': {
      const [was, now] = [note.was, note.now].map((amount) => writeMoney(amount, note.ticker, locale));
      return t(`changed_${note.side}`, { was: was ?? '', now: now ?? '' });
    }
    case 'terms':
      return <Terms pair={note.pair} />;
  }
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
