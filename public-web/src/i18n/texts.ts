import { createInstance, type i18n } from 'i18next';
import { createContext, useContext, useMemo } from 'react';
import type account from './en/account.json';
import type captcha from './en/captcha.json';
import type chat from './en/chat.json';
import type claim from './en/claim.json';
import type common from './en/common.json';
import type contest from './en/contest.json';
import type home from './en/home.json';
import type info from './en/info.json';
import type partner from './en/partner.json';
import type quote from './en/quote.json';
import type requisites from './en/requisites.json';
import type rules from './en/rules.json';
import type { Locale } from './locale';

/** The dictionaries, one a feature; a page loads its own besides the common one. */
interface Dictionaries {
  captcha: typeof captcha;
  common: typeof common;
  home: typeof home;
  chat: typeof chat;
  claim: typeof claim;
  contest: typeof contest;
  quote: typeof quote;
  requisites: typeof requisites;
  account: typeof account;
  partner: typeof partner;
  rules: typeof rules;
  info: typeof info;
}

export type Feature = keyof Dictionaries;

/** "minutes_one" and "minutes_other" are asked for as "minutes". */
type Singular<Key> = Key extends `${infer Base}_${'one' | 'few' | 'many' | 'other'}` ? Base : Key;

/** The keys of a feature's dictionary. */
export type TextKey<F extends Feature> = Singular<keyof Dictionaries[F] & string>;

/** The texts of one language, as far as they are loaded: a namespace a feature. */
export interface Texts {
  readonly language: Locale;
  readonly i18n: i18n;
}

/** Says a text of one feature; `count` chooses the form the language has for that number. */
export type Say<F extends Feature> = (key: TextKey<F>, params?: TextParams) => string;

/** What fills the gaps of a text: "{{amount}}". */
export type TextParams = Record<string, string | number>;

const files = import.meta.glob<Record<string, string>>('./{ru,en}/*.json', { import: 'default' });

function emptyTexts(locale: Locale): Texts {
  const instance = createInstance({
    lng: locale,
    fallbackLng: false,
    ns: [],
    // Keys are flat and hold dots and colons of their own.
    keySeparator: false,
    nsSeparator: false,
    // React escapes what it draws.
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  instance.init();
  return { language: locale, i18n: instance };
}

export const TextsContext = createContext<Texts>(emptyTexts('ru'));

export async function createTexts(locale: Locale): Promise<Texts> {
  const texts = emptyTexts(locale);
  await loadTexts(texts, 'common');
  return texts;
}

/** Loads a feature's dictionary, once. */
export async function loadTexts({ language, i18n }: Texts, feature: Feature): Promise<void> {
  const load = files[`./${language}/${feature}.json`];
  if (load && !i18n.hasResourceBundle(language, feature)) {
    i18n.addResourceBundle(language, feature, await load());
  }
}

/** The voice of one feature. */
export function voiceOf<F extends Feature>({ i18n }: Texts, feature: F): Say<F> {
  // The values go in as one, so that none of them is taken for an option of the same name.
  return (key, params) =>
    params ? i18n.t(key, { ns: feature, count: countIn(params), replace: params }) : i18n.t(key, { ns: feature });
}

function countIn({ count }: TextParams): number | undefined {
  return count === undefined ? undefined : Number(count);
}

/** The texts of one feature in the language of the page. */
export function useT<F extends Feature>(feature: F): Say<F> {
  const texts = useContext(TextsContext);
  return useMemo(() => voiceOf(texts, feature), [texts, feature]);
}
