import { createContext, useContext, useMemo } from 'react';
import type claim from './en/claim.json';
import type common from './en/common.json';
import type home from './en/home.json';
import type requisites from './en/requisites.json';
import type { Locale } from './locale';

/** The dictionaries, one a feature; a page loads its own besides the common one. */
interface Dictionaries {
  common: typeof common;
  home: typeof home;
  claim: typeof claim;
  requisites: typeof requisites;
}

export type Feature = keyof Dictionaries;

/** "minutes_one" and "minutes_other" are asked for as "minutes". */
type Singular<Key> = Key extends `${infer Base}_${'one' | 'few' | 'many' | 'other'}` ? Base : Key;

/** The keys of a feature's dictionary. */
export type TextKey<F extends Feature> = Singular<keyof Dictionaries[F] & string>;

/** The texts of one language, as far as they are loaded. */
export interface Texts {
  readonly language: Locale;
  readonly dictionaries: Map<Feature, Record<string, string>>;
}

/** Says a text of one feature. */
export type Say<F extends Feature> = (key: TextKey<F>, params?: Record<string, string | number>) => string;

const files = import.meta.glob<Record<string, string>>('./{ru,en}/*.json', { import: 'default' });

export const TextsContext = createContext<Texts>({ language: 'ru', dictionaries: new Map() });

export async function createTexts(locale: Locale): Promise<Texts> {
  const texts: Texts = { language: locale, dictionaries: new Map() };
  await loadTexts(texts, 'common');
  return texts;
}

/** Loads a feature's dictionary, once. */
export async function loadTexts(texts: Texts, feature: Feature): Promise<void> {
  const load = files[`./${texts.language}/${feature}.json`];
  if (load && !texts.dictionaries.has(feature)) {
    texts.dictionaries.set(feature, await load());
  }
}

/** The text of a key; with a `count`, in the form the language has for that number. */
export function textOf(texts: Texts, feature: Feature, key: string, count?: string | number): string {
  const dictionary = texts.dictionaries.get(feature) ?? {};
  const form = count === undefined ? key : `${key}_${new Intl.PluralRules(texts.language).select(Number(count))}`;
  return dictionary[form] ?? dictionary[key] ?? dictionary[`${key}_other`] ?? key;
}

/** Puts values into the gaps of a text: "{{amount}}". */
export function fillIn(text: string, params: Record<string, string | number> = {}): string {
  return text.replace(/\{\{(\w+)\}\}/g, (gap, name: string) => String(params[name] ?? gap));
}

/** The voice of one feature. */
export function voiceOf<F extends Feature>(texts: Texts, feature: F): Say<F> {
  return (key, params) => fillIn(textOf(texts, feature, key, params?.count), params);
}

/** The texts of one feature in the language of the page. */
export function useT<F extends Feature>(feature: F): Say<F> {
  const texts = useContext(TextsContext);
  return useMemo(() => voiceOf(texts, feature), [texts, feature]);
}
