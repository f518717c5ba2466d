import { useCallback } from 'react';
import { call } from '../../../api/client';
import { type Currencies, currenciesIn } from '../../../api/currencies';
import type { CustomerClaim, ListPage } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { type Locale, useLocale } from '../../../i18n/locale';
import { type ShownState, shownState } from '../../../openClaims/progress';

/** A claim in the list, and what its customer reads of its state. */
export type ShownClaim = CustomerClaim & { shown: ShownState };

/** A page of the customer's claims, and their currencies by code. */
export interface CustomerClaims {
  claims: ListPage<ShownClaim>;
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
    const items = await Promise.all(claims.items.map((claim) => shownClaim(locale, claim)));
    return { claims: { ...claims, items }, currencies };
  }, [locale, page, size]);
  return useAnswer(ask);
}

/** The list does not tell a refund from a surplus that is returned beside the exchange; the claim's own status does. */
async function shownClaim(locale: Locale, claim: CustomerClaim): Promise<ShownClaim> {
  const { id, status } = claim;
  if (status !== 'refund_pending' && status !== 'refund_sent') return { ...claim, shown: status };
  const details = await call(locale, 'GET /claim/{id}/status/', { path: { id }, quiet: true }).catch(() => null);
  return { ...claim, shown: details === null ? status : shownState(details) };
}
