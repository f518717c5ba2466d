import { createInstance, type i18n } from 'i18next';
import { createContext, useContext, useMemo } from 'react';
import { again } from '../again';
import type account from './en/account.json';
import type captcha from './en/captcha.json';
import type chat from './en/chat.json';
import type claim from './en/claim.json';
import type common from './en/common.json';
import type contest from './en/contest.json';
import type home from './en/home.json';
import type info from './en/info.json';
import type partner from './en/partner.json';
import type picker from './en/picker.json';
import type push from './en/push.json';
import type questions from './en/questions.json';
import type quote from './en/quote.json';
import type rates from './en/rates.json';
import type requisites from './en/requisites.json';
import type reviews from './en/reviews.json';
import type rules from './en/rules.json';
import type tech from './en/tech.json';
import type waitlist from './en/waitlist.json';
import type { Locale } from './locale';

/** One dictionary per feature; a page loads its own besides the common one. */
interface Dictionaries {
  captcha: typeof captcha;
  common: typeof common;
  home: typeof home;
  chat: typeof chat;
  claim: typeof claim;
  contest: typeof contest;
  waitlist: typeof waitlist;
  picker: typeof picker;
  push: typeof push;
  questions: typeof questions;
  quote: typeof quote;
  rates: typeof rates;
  requisites: typeof requisites;
  reviews: typeof reviews;
  account: typeof account;
  partner: typeof partner;
  rules: typeof rules;
  tech: typeof tech;
  info: typeof info;
}

export type Feature = keyof Dictionaries;

/** "minutes_one" and "minutes_other" have the key "minutes". */
type Singular<Key> = Key extends `${infer Base}_${'one' | 'few' | 'many' | 'other'}` ? Base : Key;

export type TextKey<F extends Feature> = Singular<keyof Dictionaries[F] & string>;

/** The texts of one language, as far as they are loaded: a namespace for each feature. */
export interface Texts {
  readonly language: Locale;
  readonly i18n: i18n;
}

/** Gives a text of one feature; `count` chooses the form the language has for that number. */
export type Translate<F extends Feature> = (key: TextKey<F>, params?: TextParams) => string;

/** The values of a text's placeholders: "{{amount}}". */
export type TextParams = Record<string, string | number>;

const files = import.meta.glob<Record<string, string>>(['./{ru,en}/*.json', '!./*/embed.json'], { import: 'default' });

function emptyTexts(language: Locale): Texts {
  const instance = createInstance({
    lng: language,
    fallbackLng: false,
    ns: [],
    // Keys are flat and contain dots and colons.
    keySeparator: false,
    nsSeparator: false,
    // React escapes.
    interpolation: { escapeValue: false },
    initAsync: false,
  });
  instance.init();
  return { language, i18n: instance };
}

export const TextsContext = createContext<Texts>(emptyTexts('ru'));

export async function createTexts(language: Locale): Promise<Texts> {
  const texts = emptyTexts(language);
  await loadTexts(texts, 'common');
  return texts;
}

/** Loads a feature's dictionary, once. */
export async function loadTexts({ language, i18n }: Texts, feature: Feature): Promise<void> {
  const load = files[`./${language}/${feature}.json`];
  if (load && !i18n.hasResourceBundle(language, feature)) {
    i18n.addResourceBundle(language, feature, await again(load));
  }
}

/** Texts of one feature; a key that is not loaded stands for itself. */
export function translator<F extends Feature>({ language, i18n }: Texts, feature: F): Translate<F> {
  // The values are one option, so that none of them is taken for an option of the same name. Texts do not nest.
  return (key, params) => {
    // Most texts are nothing but themselves, and need none of the work of `t`.
    if (!params) return i18n.getResource(language, feature, key) ?? key;
    const count = params.count === undefined ? undefined : Number(params.count);
    return i18n.t(key, { ns: feature, nest: false, count, replace: params });
  };
}

export function useT<F extends Feature>(feature: F): Translate<F> {
  const texts = useContext(TextsContext);
  return useMemo(() => translator(texts, feature), [texts, feature]);
}
