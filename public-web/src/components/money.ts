import { useCallback } from 'react';
import { useCurrencies } from '../api/currencies';
import { useLocale } from '../i18n/locale';
import { moneyText, unitOf } from './amounts';
import { shortName } from './currencyName';

/**
 * The unit of a currency by its code; empty until the currencies are loaded, and the code itself where it is unknown.
 */
export function useUnit(): (code: string) => string {
  const currencies = useCurrencies();
  return useCallback((code) => (currencies === null ? '' : unitOf(currencies.get(code)?.ticker ?? code)), [currencies]);
}

/** Formats an amount of a currency by its code. */
export function useMoney(): (value: string, code: string) => string {
  const locale = useLocale();
  const unit = useUnit();
  return useCallback((value, code) => moneyText(value, unit(code), locale), [locale, unit]);
}

/** The name of a currency by its code, for telling roubles of two banks apart. */
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
