import { useEffect, useState } from 'react';
import { call } from '../../../api/client';
import type { PaymentAvailability } from '../../../api/types';
import { toAmount } from '../../../engine/decimal';
import { useLocale } from '../../../i18n/locale';

/** Whether a currency can be paid in now, and in which amounts; null while that is unknown. */
export function usePaymentAvailability(currencyId: number | null): PaymentAvailability | null {
  const locale = useLocale();
  const [found, setFound] = useState<{ currencyId: number; answer: PaymentAvailability } | null>(null);
  useEffect(() => {
    if (currencyId === null) return;
    let current = true;
    call(locale, 'GET /claim/availability/', { query: { currencyId }, quiet: true }).then((answer) => {
      if (current) {
        setFound({ currencyId, answer });
      }
    }, console.error);
    return () => {
      current = false;
    };
  }, [currencyId, locale]);
  return found?.currencyId === currencyId ? found.answer : null;
}

/** Why an amount cannot be paid now; null if it can, or nobody knows. */
export function paymentObstacle(
  availability: PaymentAvailability | null,
  give: string | null,
): 'none' | 'amount' | null {
  if (availability === null) return null;
  if (!availability.available) return 'none';
  if (give === null) return null;
  const { minAmount, maxAmount } = availability;
  const amount = toAmount(give);
  const isWithin =
    (minAmount === null || toAmount(minAmount) <= amount) && (maxAmount === null || amount <= toAmount(maxAmount));
  return isWithin ? null : 'amount';
}
