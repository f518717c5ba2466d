import type { PaymentRoute, PaymentRouteInput } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

/** A route as it is typed. */
export type Draft = {
  currencyId: string;
  revision: number;
  driver: string;
  enabled: boolean;
  confirmations: string;
  tolerance: string;
  dust: string;
  screening: string;
  autoPayout: boolean;
  claimLimit: string;
  dayLimit: string;
};

/** What stands in the form at first. */
export function draftOf(route: PaymentRoute | null, currency?: number, driver?: string): Draft {
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

/** What is sent; null while something is no number. */
export function inputOf(draft: Draft): PaymentRouteInput | null {
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
