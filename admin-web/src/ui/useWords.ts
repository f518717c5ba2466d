import type { Language } from '@agio/client/admin';
import { useLocaleState, useTranslate } from 'react-admin';

/** The language in use and the function that says things in it. */
export function useWords() {
  const [locale, setLocale] = useLocaleState();
  return { t: useTranslate(), language: (locale === 'en' ? 'en' : 'ru') as Language, setLocale };
}
