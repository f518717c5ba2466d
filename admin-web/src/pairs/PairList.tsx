import type { Currency, Pair } from '@agio/client/admin';
import { amountText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import { type Causes, readableCourse, wordOf } from './matrix.ts';
import css from './Pairs.module.css';

/** The same directions one under another: for phones and for reading aloud. */
export function PairList({
  pairs,
  currencies,
  selected,
  causes,
  onChoose,
}: {
  pairs: Pair[];
  currencies: Currency[];
  selected: ReadonlySet<number> | null;
  causes: Causes;
  onChoose: (pair: Pair) => void;
}) {
  const { t, language } = useWords();
  const codes = new Map(currencies.map((currency) => [currency.id, currency.code]));
  const course = (pair: Pair) => {
    if (pair.course === null) return '';
    const { text, inverted } = readableCourse(pair.course);
    return `${inverted ? '1/' : ''}${amountText(text, language)}`;
  };
  return (
    <ul className={css.list}>
      {pairs.map((pair) => (
        <li key={pair.id}>
          <button
            type="button"
            className={selected?.has(pair.id) ? css.itemChanging : css.item}
            aria-pressed={selected ? selected.has(pair.id) : undefined}
            onClick={() => onChoose(pair)}
          >
            <strong>
              {codes.get(pair.fromId)} → {codes.get(pair.toId)}
            </strong>
            <span className={pair.state === 'ok' ? css.quiet : css[pair.state]}>
              {t(`pairs.word.${wordOf(pair, causes)}`)}
            </span>
            <span className="figures">{course(pair)}</span>
            <span className={css.quiet}>{amountText(pair.spreadPercent, language)} %</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
