import { divide, inverse, isZero, significant } from '@agio/client/decimal';
import { amountText, NBSP } from '@agio/client/format';
import type { Locale } from '../i18n/locale';

/** Signs of money in place of codes where everyone knows them. */
const SIGNS: Record<string, string> = { RUB: '₽', USD: '$', EUR: '€', UAH: '₴', KZT: '₸' };

/** The sign or the ticker of a currency, to stand after an amount. */
export const unitOf = (ticker: string): string => SIGNS[ticker] ?? ticker;

/** An amount with its unit, never broken between lines. */
export function moneyText(value: string, ticker: string, locale: Locale, places = 0): string {
  return amountText(value, locale, places) + NBSP + unitOf(ticker);
}

/** The number of a claim, in groups of three: "184 207". */
export function serialText(publicId: string | number): string {
  return String(publicId).replace(/\B(?=(\d{3})+$)/g, NBSP);
}

/** A reserve at a glance: from ten thousand on without decimals. Cut downwards. */
export function reserveText(value: string, ticker: string, locale: Locale): string {
  const [whole = '0'] = value.split('.');
  return moneyText(significant(value, whole.length >= 5 ? whole.length : 7), ticker, locale);
}

/** Significant digits of a rate, the same wherever it stands. */
const RATE_DIGITS = 12;

/**
 * One unit of the dearer currency in units of the cheaper: "1 BTC = 6 012 345 ₽", also where roubles are given. An
 * inverted rate is no longer exact, which its sign says.
 */
export function rateText(rate: string, from: string, to: string, locale: Locale): string {
  const isInverted = /^0\.0*[1-9]/.test(rate);
  const [one, other, value] = isInverted ? [to, from, inverse(rate, RATE_DIGITS)] : [from, to, rate];
  const text = moneyText(significant(value, RATE_DIGITS), other, locale);
  return `1${NBSP}${unitOf(one)} ${isInverted ? '≈' : '='} ${text}`;
}

const RATE_PLACES = 24;

/** What is received per unit given, fees and rounding included; null where nothing is exchanged. */
export function rateOf(give: string, receive: string): string | null {
  return isZero(give) || isZero(receive) ? null : divide(receive, give, RATE_PLACES);
}
