import { readFileSync } from 'node:fs';

/** The languages of the house, and where each one's pages are. */
export const locales = [
  { locale: 'ru', root: '' },
  { locale: 'en', root: '/en' },
] as const;

export type Locale = (typeof locales)[number]['locale'];

/** The screens every journey is made on. */
export const screens = [
  { name: 'phone', width: 360, height: 740 },
  { name: 'desktop', width: 1280, height: 900 },
] as const;

/** Reads a dictionary of the site, so that tests look for the very words a customer reads. */
export function words(
  locale: Locale,
  dictionary: 'common' | 'home' | 'quote' | 'claim' | 'account' | 'partner' | 'contest' | 'chat',
): Record<string, string> {
  const file = new URL(`../../src/i18n/${locale}/${dictionary}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}
