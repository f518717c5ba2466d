import { readFileSync } from 'node:fs';
import { test } from '@playwright/test';

/** The languages of the app, and where each one's pages are. */
export const locales = [
  { locale: 'ru', root: '' },
  { locale: 'en', root: '/en' },
] as const;

export type Locale = (typeof locales)[number]['locale'];

/** The language of a test that is run in one: each engine has another. */
export const localeOfEngine = (): Locale => (test.info().project.name === 'postgres' ? 'en' : 'ru');

/** The screens that the pages are tested on. */
export const screens = [
  { name: 'phone', width: 360, height: 740 },
  { name: 'desktop', width: 1280, height: 900 },
] as const;

/** A dictionary of the site, so that tests look for the texts a customer reads. */
export function dictionary(
  locale: Locale,
  name:
    | 'common'
    | 'home'
    | 'quote'
    | 'claim'
    | 'account'
    | 'partner'
    | 'contest'
    | 'chat'
    | 'rates'
    | 'reviews'
    | 'waitlist'
    | 'embed'
    | 'picker'
    | 'push'
    | 'tech',
): Record<string, string> {
  const file = new URL(`../../../src/i18n/${locale}/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}
