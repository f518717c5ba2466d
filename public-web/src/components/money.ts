import { useCallback } from 'react';
import { useCurrencies } from '../api/currencies';
import { useLocale } from '../i18n/locale';
import { unitOf, writeMoney } from './amounts';
import { shortName } from './currencyName';

/** What stands after a sum whose currency is told by its code: nothing until the currencies are known, and a code that is none of theirs as it is. */
export function useUnit(): (code: string) => string {
  const currencies = useCurrencies();
  return useCallback((code) => (currencies === null ? '' : unitOf(currencies.get(code)?.ticker ?? code)), [currencies]);
}

/** Writes a sum whose currency is told by its code. */
export function useMoney(): (value: string, code: string) => string {
  const locale = useLocale();
  const unit = useUnit();
  return useCallback((value, code) => writeMoney(value, unit(code), locale), [locale, unit]);
}

/** The name of a currency by its code, where roubles of two banks have to be told apart. */
export function useShortName(): (code: string) => string {
  const currencies = useCurrencies();
  return useCallback(
    (code) => {
      const currency = currencies?.get(code);
      return currency ? shortName(currency) : code;
    },
    [currencies],
  );
}
