import type { Schema } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

export function draftOf(route: Schema<'PaymentRouteView'> | null, currency?: number, driver?: string) {
  return {
    currencyId: String(route?.currencyId ?? currency ?? ''),
    revision: route?.revision ?? 0,
    driver: route?.driver ?? driver ?? '',
    enabled: route?.enabled ?? true,
    confirmations: String(route?.confirmations ?? 2),
    tolerance: route?.tolerance ?? '0',
    dust: route?.dust ?? '0',
    screening: route?.screening ?? '',
    autoPayout: route?.autoPayout ?? false,
    claimLimit: route?.claimLimit ?? '0',
    dayLimit: route?.dayLimit ?? '0',
  };
}

/** A route as it is typed. */
export type Draft = ReturnType<typeof draftOf>;

/** The request; null while a number is invalid. */
export function inputOf(draft: Draft): Schema<'SetPaymentRouteRequest'> | null {
  const sums = [draft.tolerance, draft.dust, draft.claimLimit, draft.dayLimit].map(typedDecimal);
  const [tolerance, dust, claimLimit, dayLimit] = sums;
  const confirmations = /^\d{1,4}$/.test(draft.confirmations.trim()) ? Number(draft.confirmations) : null;
  if (confirmations === null || !tolerance || !dust || !claimLimit || !dayLimit || !draft.currencyId || !draft.driver) {
    return null;
  }
  const { revision, driver, enabled, autoPayout } = draft;
  return {
    revision,
    driver,
    enabled,
    confirmations,
    tolerance,
    dust,
    ...(draft.screening && { screening: draft.screening }),
    autoPayout,
    claimLimit,
    dayLimit,
  };
}
