import { amountText } from '@agio/client/format';
import { normalise } from '../engine';
import type { Locale } from '../i18n/locale';

const KEY = 'agio.draft';

/** What a visitor typed and has not sent: kept in the tab through reloads, other pages and languages. */
export interface Draft {
  /** The amount, with the codes of its pair and the language it was written in. */
  amount?: { from: string; to: string; side: 'from' | 'to'; text: string; locale: Locale };
  /** The code of the city where cash changes hands. */
  city?: string;
  email?: string;
  /** Payout details by the keys of their fields. */
  values?: Record<string, string>;
  consents?: Record<string, boolean>;
}

export function readDraft(): Draft {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Draft | null) ?? {};
  } catch {
    // Storage may be blocked, or hold something else.
    return {};
  }
}

export function saveDraft(part: Draft): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...readDraft(), ...part }));
  } catch {
    // Without storage it lasts as long as the page.
  }
}

export function dropDraft(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage nothing was kept.
  }
}

/** The amount of a pair as written in a language; null where another pair's was typed. */
export function draftAmount(from: string, to: string, locale: Locale): { side: 'from' | 'to'; text: string } | null {
  const { amount } = readDraft();
  if (amount?.from !== from || amount.to !== to) return null;
  const plain = amount.locale === locale ? null : normalise(amount.text, amount.locale);
  return { side: amount.side, text: plain === null ? amount.text : amountText(plain, locale) };
}

/** The pair of the draft as a query, for an address that names none. */
export function draftQuery(): string {
  const { amount } = readDraft();
  return amount ? `?${new URLSearchParams({ cur_from: amount.from, cur_to: amount.to })}` : '';
}
