import { amountText } from '@agio/client/format';
import { readStored, writeStored } from '../browserStorage';
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
  return (readStored('sessionStorage', KEY) ?? {}) as Draft;
}

export function saveDraft(part: Draft): void {
  writeStored('sessionStorage', KEY, { ...readDraft(), ...part });
}

export function dropDraft(): void {
  writeStored('sessionStorage', KEY, null);
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
