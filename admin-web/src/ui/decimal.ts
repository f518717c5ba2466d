/** Arithmetic on decimal strings, as far as the console needs it: comparing, and a share for a bar. No floats. */

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?$/;

export const isDecimal = (text: string): boolean => NUMBER.test(text);

/** Both numbers as whole units of the finer one's last place. */
function aligned(a: string, b: string): [bigint, bigint] {
  const places = Math.max(placesOf(a), placesOf(b));
  return [unitsOf(a, places), unitsOf(b, places)];
}

const placesOf = (text: string): number => NUMBER.exec(text)?.[3]?.length ?? 0;

function unitsOf(text: string, places: number): bigint {
  const [, sign, whole = '0', fraction = ''] = NUMBER.exec(text) ?? [];
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return sign === '-' ? -units : units;
}

/** Below, equal to or above zero as `a` is below, equal to or above `b`. */
export function compare(a: string, b: string): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export const isZero = (text: string): boolean => compare(text, '0') === 0;
export const isNegative = (text: string): boolean => compare(text, '0') < 0;

/** How much of `whole` the `part` is, from 0 to 1, good to a thousandth: the length of a bar, never an amount. */
export function share(part: string, whole: string): number {
  const [top, bottom] = aligned(part, whole);
  if (bottom <= 0n) return top > 0n ? 1 : 0;
  const thousandths = Number((top * 1000n) / bottom) / 1000;
  return Math.min(1, Math.max(0, thousandths));
}

/** The sum of two decimals, in the places of the finer one. */
export function add(a: string, b: string): string {
  const places = Math.max(placesOf(a), placesOf(b));
  const [left, right] = aligned(a, b);
  return written(left + right, places);
}

function written(units: bigint, places: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return places > 0 ? `${sign}${whole}.${digits.slice(-places)}` : sign + whole;
}

/** A typed number as the API writes it: without spaces, with a full stop for a comma. Null when it is no number. */
export function typedDecimal(text: string): string | null {
  const plain = text
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace(',', '.')
    .replace(/^\u2212/, '-')
    .replace(/^\+/, '');
  return isDecimal(plain) ? plain : null;
}

/** One divided by a positive decimal, with as many significant digits as asked for; for reading, not for calculation. */
export function inverse(text: string, digits: number): string {
  const places = placesOf(text);
  const units = unitsOf(text, places);
  if (units <= 0n) return '0';
  // 1 / (units / 10^places) as whole units of 10^-scale, with digits to spare before it is cut.
  const scale = places + units.toString().length + digits;
  return significant(written(10n ** BigInt(places + scale) / units, scale), digits);
}

/** Cuts a decimal after so many significant digits; whole digits are never cut. */
export function significant(text: string, digits: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const lead = whole.replace('-', '') === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const wholeDigits = whole.replace('-', '') === '0' ? 0 : whole.replace('-', '').length;
  const kept = fraction.slice(0, Math.max(0, digits - wholeDigits) + lead).replace(/0+$/, '');
  return kept ? `${whole}.${kept}` : whole;
}
