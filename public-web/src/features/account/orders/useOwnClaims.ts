import { useCallback } from 'react';
import type { ListPage, OwnClaim } from '../../../api/account';
import { call } from '../../../api/client';
import type { Direction } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { type Locale, useLocale } from '../../../i18n/locale';

/** A page of the customer's claims, and the currencies they are in by their codes. */
export interface OwnClaims {
  claims: ListPage<OwnClaim>;
  currencies: Map<string, Direction>;
}

let known: { locale: Locale; currencies: Promise<Map<string, Direction>> } | null = null;

/** The currencies by code, asked for once; without them a claim is written with the codes alone. */
function currenciesIn(locale: Locale): Promise<Map<string, Direction>> {
  if (known?.locale !== locale) {
    const currencies = call(locale, 'GET /calculator/', { quiet: true }).then(
      ({ directions }) => new Map(directions.map((direction) => [direction.code, direction])),
    );
    known = { locale, currencies };
  }
  return known.currencies.catch((error) => {
    console.error(error);
    known = null;
    return new Map();
  });
}

/** The customer's claims, the newest first, so many a page. */
export function useOwnClaims(page: number, size: number) {
  const locale = useLocale();
  const ask = useCallback(async (): Promise<OwnClaims> => {
    const query = { page: String(page), size: String(size) };
    const [claims, currencies] = await Promise.all([
      call(locale, 'GET /users/me/claims/', { query }),
      currenciesIn(locale),
    ]);
    return { claims, currencies };
  }, [locale, page, size]);
  return useAnswer(ask);
}
