import { useMemo } from 'react';
import { useLocaleState, useTranslate } from 'react-admin';
import type { Language } from '../i18n/language.ts';
import { ageText, amountText, dateTimeText, longDayText, percentText, sizeText } from './format.ts';

/** The language in use, its texts and formats, and a way to change it. */
export function useTexts() {
  const [locale, setLocale] = useLocaleState();
  const t = useTranslate();
  const language: Language = locale === 'en' ? 'en' : 'ru';
  const formats = useMemo(
    () => ({
      ageText: (ms: number) => ageText(ms, language),
      amountText: (amount: string) => amountText(amount, language),
      dateTimeText: (at: string, now?: number) => dateTimeText(at, language, now),
      longDayText: (day: string) => longDayText(day, language),
      percentText: (percent: string) => percentText(percent, language),
      sizeText: (bytes: number) => sizeText(bytes, language),
    }),
    [language],
  );
  return { t, language, setLocale, ...formats };
}
