import type { Currency } from '../../../api/types';
import { unitOf } from '../../../components/amounts';
import { normalise } from '../../../engine';
import type { Locale } from '../../../i18n/locale';

/** Why a text is no amount. */
export type Unreadable = 'unread' | 'unit' | 'huge';

/** A plain decimal within the currency's places, or why there is none. */
export type Reading = { value: string; isCut: boolean } | { problem: Unreadable };

/** Ways to write roubles after an amount. */
const ROUBLES = ['р', 'руб', 'рубль', 'рубля', 'рублей'];

/** Longer than any amount. */
const MAX_LENGTH = 200;

/** Cuts to so many decimals, without rounding. */
export function cutDecimals(value: string, digits: number): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const cut = fraction.slice(0, digits).replace(/0+$/, '');
  return cut ? `${whole}.${cut}` : whole;
}

/**
 * Reads a typed or pasted amount: "1 000.5 USDT", "$100", "0.123456789123456789". The field's own currency may stand
 * beside the digits; another one may not, because the number then means something else. Decimals beyond the currency's
 * are cut, and the customer is informed.
 */
export function readAmount(typed: string, of: Currency, digits: number, locale: Locale): Reading {
  const text = typed.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '').trim();
  const match = text.length > MAX_LENGTH ? null : /^([^\d.,]*)([\d.,'’\s]*)(\D*)$/.exec(text);
  if (match === null) return { problem: 'unread' };
  const [, before = '', digitsTyped = '', after = ''] = match;
  const words = [before, after].map((word) => word.replace(/\s|\.$/g, '').toLowerCase()).filter(Boolean);
  if (!words.every((word) => namesOf(of).includes(word))) {
    return {
      problem: /\d/.test(digitsTyped) && words.every((word) => /^[\p{L}\p{Sc}]+$/u.test(word)) ? 'unit' : 'unread',
    };
  }
  const bare = digitsTyped.replace(/\s|['’](?=\d{3}(?!\d))/g, '');
  if (/^\d{13,}(?:[.,]\d*)?$/.test(bare)) return { problem: 'huge' };
  // More than eight decimals are no amount; groups are of three, so nine digits in a row after a sign are decimals.
  const cut = bare.replace(/([.,]\d{8})\d+$/, '$1');
  const plain = normalise(cut, locale);
  if (plain === null) return { problem: 'unread' };
  const value = cutDecimals(plain, digits);
  return { value, isCut: value !== plain || /[1-9]/.test(bare.slice(cut.length)) };
}

function namesOf({ ticker, code, name }: Currency): string[] {
  const names = [ticker, code, name.replace(/\s/g, ''), unitOf(ticker)].map((one) => one.toLowerCase());
  return ticker === 'RUB' ? [...names, ...ROUBLES] : names;
}
