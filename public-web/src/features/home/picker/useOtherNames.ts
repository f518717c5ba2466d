import { useMemo } from 'react';
import { useCurrencies } from '../../../api/currencies';
import { useLocale } from '../../../i18n/locale';

/** The names of currencies in the other language, so that a search finds them by either. */
export function useOtherNames(): Map<number, string> {
  const currencies = useCurrencies(useLocale() === 'ru' ? 'en' : 'ru');
  return useMemo(() => new Map([...(currencies?.values() ?? [])].map(({ id, name }) => [id, name])), [currencies]);
}
