import { createContext, useContext } from 'react';

export const LOCALES = ['ru', 'en'] as const;

export type Locale = (typeof LOCALES)[number];

/** English under /en, Russian everywhere else. */
export function localeOf(pathname: string): Locale {
  return /^\/en(\/|$)/.test(pathname) ? 'en' : 'ru';
}

export const LocaleContext = createContext<Locale>('ru');

export function useLocale(): Locale {
  return useContext(LocaleContext);
}
