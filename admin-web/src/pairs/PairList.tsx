import { useTexts } from '../ui/index.ts';
import { type Causes, type Currency, type Pair, rateText, stateText } from './matrix.ts';
import css from './Pairs.module.css';

/** The directions as a list, for phones and screen readers. */
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
  const { t, language, percentText } = useTexts();
  const codes = new Map(currencies.map((currency) => [currency.id, currency.code]));
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
              {codes.get(pair.giveId)} → {codes.get(pair.receiveId)}
            </strong>
            <span className={pair.state === 'ok' ? css.quiet : css[pair.state]}>
              {t(`pairs.stateShort.${stateText(pair, causes)}`)}
            </span>
            <span className="figures">{rateText(pair.rate, language)}</span>
            <span className={css.quiet}>{percentText(pair.spreadPercent)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
