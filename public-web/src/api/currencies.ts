import { useEffect, useState } from 'react';
import { type Locale, useLocale } from '../i18n/locale';
import { call } from './client';
import type { Direction } from './types';

/** Currencies by their codes. */
export type Currencies = Map<string, Direction>;

const loads = new Map<Locale, Promise<Currencies>>();

/** The currencies in a language, fetched once; empty where they cannot be fetched. */
export function currenciesIn(locale: Locale): Promise<Currencies> {
  const known = loads.get(locale);
  if (known) return known;
  const load = call(locale, 'GET /calculator/', { quiet: true }).then(
    ({ directions }) => new Map(directions.map((direction) => [direction.code, direction])),
    (error) => {
      console.error(error);
      loads.delete(locale);
      return new Map();
    },
  );
  loads.set(locale, load);
  return load;
}

/** The currencies in a language, by default the page's; null until they are known. */
export function useCurrencies(language?: Locale): Currencies | null {
  const page = useLocale();
  const locale = language ?? page;
  const [currencies, setCurrencies] = useState<Currencies | null>(null);
  useEffect(() => {
    let current = true;
    currenciesIn(locale).then((found) => {
      if (current) {
        setCurrencies(found);
      }
    });
    return () => {
      current = false;
    };
  }, [locale]);
  return currencies;
}
