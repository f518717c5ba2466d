/** Decimal numbers as whole units of 10^-scale. */

/** Decimals an amount may have: amounts are computed in units of 10^-8. */
export const AMOUNT_SCALE = 8;

/** Amounts are below 10^12; this is that bound in units. */
export const AMOUNT_LIMIT = 10n ** 20n;

/** Decimals a rate may have. */
export const RATE_SCALE = 24;

/** Reads a plain decimal number of zero or more, refusing digits beyond `scale`. */
export function toUnits(text: string, scale: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`Not a decimal number: ${text}`);
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > scale) throw new RangeError(`More than ${scale} decimals: ${text}`);
  return BigInt(match[1] + fraction.padEnd(scale, '0'));
}

/** Reads an amount: below 10^12, with at most eight decimals. */
export function toAmount(text: string): bigint {
  const units = toUnits(text, AMOUNT_SCALE);
  if (units >= AMOUNT_LIMIT) throw new RangeError(`1000000000000 or more: ${text}`);
  return units;
}

/** Writes units of 10^-8 as the shortest decimal: no trailing zeros, no exponent. */
export function fromUnits(units: bigint): string {
  const digits = units.toString().padStart(AMOUNT_SCALE + 1, '0');
  const whole = digits.slice(0, -AMOUNT_SCALE);
  const fraction = digits.slice(-AMOUNT_SCALE).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The last of `digits` decimals, in units of 10^-8. */
export function lastDigit(digits: number): bigint {
  return 10n ** BigInt(AMOUNT_SCALE - digits);
}

export function roundDown(units: bigint, grid: bigint): bigint {
  return units - (units % grid);
}

export function roundUp(units: bigint, grid: bigint): bigint {
  return divideUp(units, grid) * grid;
}

/** Divides whole numbers of zero or more, rounding up. */
export function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
