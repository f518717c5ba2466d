import type { Locale } from '../i18n/locale';

/** Signs of money in place of codes where everyone knows them. */
const SIGNS: Record<string, string> = { RUB: '₽', USD: '$', EUR: '€', UAH: '₴', KZT: '₸' };

const NBSP = '\u00a0';

/**
 * Writes a decimal string the way the language does: digits grouped, the decimal sign its own, not a digit lost.
 */
export function writeAmount(value: string, locale: Locale, leastDecimals = 0): string {
  const negative = value.startsWith('-');
  const [whole = '0', fraction = ''] = (negative ? value.slice(1) : value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, locale === 'en' ? ',' : NBSP);
  const decimals = fraction.replace(/0+$/, '').padEnd(leastDecimals, '0');
  const sign = negative ? '\u2212' : '';
  return sign + grouped + (decimals ? (locale === 'en' ? '.' : ',') + decimals : '');
}

/** The sign or the ticker of a currency, to stand after an amount. */
export function unitOf(ticker: string): string {
  return SIGNS[ticker] ?? ticker;
}

/** An amount with its unit, never broken between lines. */
export function writeMoney(value: string, ticker: string, locale: Locale, leastDecimals = 0): string {
  return writeAmount(value, locale, leastDecimals) + NBSP + unitOf(ticker);
}

/** "184 207": the number of a claim is read out by threes. */
export function serialText(publicId: string | number): string {
  return String(publicId).replace(/\B(?=(\d{3})+$)/g, NBSP);
}

/** A reserve, to be seen at a glance: in the ten thousands nobody looks at the change. Cut downwards. */
export function writeReserve(value: string, ticker: string, locale: Locale): string {
  const [whole = '0'] = value.split('.');
  return writeMoney(shorten(value, whole.length >= 5 ? whole.length : 7), ticker, locale);
}

/** Cuts a decimal string to so many significant digits, downwards; never less than its whole part. */
export function shorten(value: string, significant: number): string {
  const [whole = '0', fraction = ''] = value.split('.');
  if (whole.replace(/^0+/, '').length >= significant) {
    return whole;
  }
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const keep = whole === '0' ? zeros + significant : significant - whole.length;
  const decimals = fraction.slice(0, keep).replace(/0+$/, '');
  return decimals ? `${whole}.${decimals}` : whole;
}

/** Significant digits a rate is written with, the same wherever it stands. */
const RATE_DIGITS = 12;

/** One unit of what is dear in terms of what is cheap: "1 BTC = 6 012 345 ₽", also where roubles are sent. Turned round it is no longer exact, and says so. */
export function writeRate(course: string, from: string, to: string, locale: Locale): string {
  const isTurned = /^0\.0*[1-9]/.test(course);
  const [one, other, value] = isTurned ? [to, from, inverse(course)] : [from, to, course];
  return `1${NBSP}${unitOf(one)} ${isTurned ? '≈' : '='} ${writeMoney(shorten(value, RATE_DIGITS), other, locale)}`;
}

/** What is received for one unit sent when so much of each is exchanged, fees and rounding included; null where nothing is. */
export function rateOf(send: string, receive: string): string | null {
  const units = (value: string) => {
    const [whole = '0', fraction = ''] = value.split('.');
    return BigInt(whole + fraction.padEnd(SCALE, '0'));
  };
  const [sent, received] = [units(send), units(receive)];
  return sent === 0n || received === 0n ? null : plain((received * 10n ** BigInt(SCALE)) / sent);
}

const SCALE = 24;

/** One divided by a decimal below one, to be read, not to be computed with. */
const inverse = (course: string): string => rateOf(course, '1') ?? '0';

function plain(units: bigint): string {
  const digits = units.toString().padStart(SCALE + 1, '0');
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}
