import { useCallback } from 'react';
import type { ListPage, OwnClaim } from '../../../api/account';
import { call } from '../../../api/client';
import { type Currencies, currenciesIn } from '../../../api/currencies';
import { useAnswer } from '../../../api/useAnswer';
import { useLocale } from '../../../i18n/locale';

/** A page of the customer's claims, and the currencies they are in by their codes. */
export interface OwnClaims {
  claims: ListPage<OwnClaim>;
  currencies: Currencies;
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
