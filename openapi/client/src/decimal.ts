/** Arithmetic on decimal strings without floating point. Results have no trailing zeros. */

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?$/;

export const isDecimal = (text: string): boolean => NUMBER.test(text);

const placesOf = (text: string): number => NUMBER.exec(text)?.[3]?.length ?? 0;

/** A decimal in units of 10^-places. */
function unitsOf(text: string, places: number): bigint {
  const [, sign, whole, fraction = ''] = NUMBER.exec(text) ?? [];
  if (whole === undefined) {
    throw new RangeError(`Not a decimal number: ${text}`);
  }
  const units = BigInt(whole + fraction.padEnd(places, '0'));
  return sign === '-' ? -units : units;
}

function decimalOf(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(whole.length).replace(/0+$/, '');
  return (units < 0n ? '-' : '') + whole + (fraction && `.${fraction}`);
}

/** Both numbers in units of the finer one's last place, and how many places these have. */
function aligned(a: string, b: string): [bigint, bigint, number] {
  const places = Math.max(placesOf(a), placesOf(b));
  return [unitsOf(a, places), unitsOf(b, places), places];
}

/** Below, equal to or above zero as `a` is below, equal to or above `b`. */
export function compare(a: string, b: string): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export const isZero = (text: string): boolean => compare(text, '0') === 0;
export const isNegative = (text: string): boolean => compare(text, '0') < 0;

export function add(a: string, b: string): string {
  const [left, right, places] = aligned(a, b);
  return decimalOf(left + right, places);
}

export function subtract(a: string, b: string): string {
  const [left, right, places] = aligned(a, b);
  return decimalOf(left - right, places);
}

/** The quotient, cut after so many places; zero where the divisor is not positive. */
export function divide(a: string, b: string, places: number): string {
  const [left, right] = aligned(a, b);
  return right <= 0n ? '0' : decimalOf((left * 10n ** BigInt(places)) / right, places);
}

/** How much of `whole` the `part` is, from 0 to 1, to a thousandth: the length of a bar, never an amount. */
export function share(part: string, whole: string): number {
  const [top, bottom] = aligned(part, whole);
  if (bottom <= 0n) return top > 0n ? 1 : 0;
  return Math.min(1, Math.max(0, Number((top * 1000n) / bottom) / 1000));
}

/** One divided by a positive decimal, to so many significant digits; for reading, not for computing. */
export function inverse(text: string, digits: number): string {
  return significant(divide('1', text, text.length + digits), digits);
}

/** Cuts a decimal after so many significant digits; whole digits are never cut. */
export function significant(text: string, digits: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const wholeDigits = whole.replace(/^-?0*/, '').length;
  const zeros = wholeDigits === 0 ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const cut = fraction.slice(0, Math.max(0, digits - wholeDigits) + zeros).replace(/0+$/, '');
  return cut ? `${whole}.${cut}` : whole;
}
