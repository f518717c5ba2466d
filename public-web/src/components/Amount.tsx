import { useLocale } from '../i18n/locale';
import { writeAmount, writeMoney } from './amounts';

interface AmountProps {
  /** A decimal string. */
  value: string;
  /** The ticker; without it the number stands alone. */
  ticker?: string | undefined;
  /** Decimals to show even when they are zero. */
  decimals?: number | undefined;
  className?: string | undefined;
}

/** An amount in the language of the page, in standing figures, never broken between lines. */
export function Amount({ value, ticker, decimals, className }: AmountProps) {
  const locale = useLocale();
  const text = ticker ? writeMoney(value, ticker, locale, decimals) : writeAmount(value, locale, decimals);
  return <span className={className ? `num nb ${className}` : 'num nb'}>{text}</span>;
}
