import type { Direction, PaymentAvailability } from '../../../api/types';
import { moneyText } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import type { Remark } from './entry';
import type { Calculator } from './useCalculator';

export type Note =
  /** What happened to an amount when its field was left. */
  | { about: 'amount'; kind: Exclude<Remark['kind'], 'min' | 'max' | 'step'>; unit: string; count: number }
  /** The rate changed after an amount was typed. */
  | { about: 'change'; calculator: Calculator }
  /** The greatest amount, applied by pressing it. */
  | { about: 'most'; amount: string; ticker: string; take: () => void }
  /** The given currency, or this amount of it, cannot be paid now. */
  | { about: 'payment'; obstacle: 'none' | 'amount'; availability: PaymentAvailability; from: Direction };

export function QuoteNotice({ note }: { note: Note }) {
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
          {t('take_most', { amount: moneyText(note.amount, note.ticker, locale) })}
        </button>
      );
    case 'payment':
      return <Unpayable {...note} />;
  }
}

/** The former amount and the present one. */
function Change({ calculator: { before, amounts, entry, from, to } }: { calculator: Calculator }) {
  const t = useT('quote');
  const locale = useLocale();
  // The typed side stays and the other one changes, apart from rounding.
  const isGive =
    before !== null && before.give !== amounts.give && (entry.side === 'to' || before.receive === amounts.receive);
  const side = isGive ? 'give' : 'receive';
  const [was, now, of] = [before?.[side], amounts[side], isGive ? from : to];
  if (!was || !now || !of) return null;
  const write = (amount: string) => moneyText(amount, of.ticker, locale);
  return t(`changed_${side}`, { was: write(was), now: write(now) });
}

/** Why the customer cannot pay, and what they can do instead. */
function Unpayable({ obstacle, availability: { minAmount, maxAmount }, from }: Extract<Note, { about: 'payment' }>) {
  const t = useT('quote');
  const locale = useLocale();
  if (obstacle === 'none') return t('unpayable', { name: from.name });
  const write = (amount: string | null) => (amount === null ? '' : moneyText(amount, from.ticker, locale));
  const kind = minAmount === null ? 'max' : maxAmount === null ? 'min' : 'between';
  return t(`payable_${kind}`, { min: write(minAmount), max: write(maxAmount) });
}
