import { useMemo } from 'react';
import { useCurrencies } from '../../../api/currencies';
import { useLocale } from '../../../i18n/locale';

/** The names in the other language, which the search includes. */
export function useOtherNames(): Map<number, string> {
  const currencies = useCurrencies(useLocale() === 'ru' ? 'en' : 'ru');
  return useMemo(() => new Map([...(currencies?.values() ?? [])].map(({ id, name }) => [id, name])), [currencies]);
}
