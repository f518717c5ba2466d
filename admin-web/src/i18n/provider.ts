import polyglotI18nProvider from 'ra-i18n-polyglot';
import englishOfReactAdmin from 'ra-language-english';
import russianOfReactAdmin from 'ra-language-russian';
import type { I18nProvider, TranslationMessages } from 'react-admin';
import { en } from './en.ts';
import { language, setLanguage } from './language.ts';
import { ru } from './ru.ts';

/** The Russian of react-admin lags a few keys behind, so it lies over the English. */
const dictionaries = {
  en: { ...englishOfReactAdmin, ...en },
  ru: {
    ...englishOfReactAdmin,
    ...russianOfReactAdmin,
    ra: { ...englishOfReactAdmin.ra, ...russianOfReactAdmin.ra },
    ...ru,
  },
} as unknown as Record<string, TranslationMessages>;

const polyglot = polyglotI18nProvider((locale) => dictionaries[locale] ?? dictionaries.ru, language(), [
  { locale: 'ru', name: 'Русский' },
  { locale: 'en', name: 'English' },
]);

export const i18nProvider: I18nProvider = {
  ...polyglot,
  changeLocale: (locale) => polyglot.changeLocale(setLanguage(locale)),
};
