import { splitAmount } from '@agio/client/format';
import css from './Amount.module.css';
import { useTexts } from './useTexts.ts';

/**
 * An amount: the whole part in ink, the fraction muted; below one it is the other way round.
 * In a column the comma always stands at the same place.
 */
export function Amount({ value, column }: { value: string; column?: boolean }) {
  const { language } = useTexts();
  const { sign, whole, fraction } = splitAmount(value, language);
  // Below one the fraction is the amount.
  const small = whole === '0' && fraction !== '';
  return (
    <span className={column ? css.column : css.amount}>
      <span className={small ? css.muted : css.ink}>
        {sign}
        {whole}
      </span>
      <span className={small ? css.ink : css.muted}>{fraction}</span>
    </span>
  );
}
