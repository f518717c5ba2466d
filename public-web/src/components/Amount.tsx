import { amountText } from '@agio/client/format';
import { useLocale } from '../i18n/locale';
import { moneyText } from './amounts';

interface AmountProps {
  value: string;
  ticker?: string | undefined;
  decimals?: number | undefined;
  className?: string | undefined;
}

/** An amount in the language of the page, never broken between lines. */
export function Amount({ value, ticker, decimals, className }: AmountProps) {
  const locale = useLocale();
  const text = ticker ? moneyText(value, ticker, locale, decimals) : amountText(value, locale, decimals);
  return <span className={className ? `num nb ${className}` : 'num nb'}>{text}</span>;
}
