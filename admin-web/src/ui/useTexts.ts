import { useLocaleState, useTranslate } from 'react-admin';
import type { Language } from '../i18n/language.ts';

/** The language in use, a way to change it, and its texts. */
export function useTexts() {
  const [locale, setLocale] = useLocaleState();
  return { t: useTranslate(), language: (locale === 'en' ? 'en' : 'ru') as Language, setLocale };
}
