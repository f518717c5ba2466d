import { useCallback } from 'react';
import { call } from '../../../api/client';
import { type Currencies, currenciesIn } from '../../../api/currencies';
import type { CustomerClaim, ListPage } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { useLocale } from '../../../i18n/locale';

/** A page of the customer's claims, and their currencies by code. */
export interface CustomerClaims {
  claims: ListPage<CustomerClaim>;
  currencies: Currencies;
}

/** The customer's claims, newest first. */
export function useCustomerClaims(page: number, size: number) {
  const locale = useLocale();
  const ask = useCallback(async (): Promise<CustomerClaims> => {
    const [claims, currencies] = await Promise.all([
      call(locale, 'GET /users/me/claims/', { query: { page, size } }),
      currenciesIn(locale),
    ]);
    return { claims, currencies };
  }, [locale, page, size]);
  return useAnswer(ask);
}
