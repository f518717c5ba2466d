import {
  AMOUNT_LIMIT,
  divideUp,
  fromUnits,
  lastDigit,
  RATE_SCALE,
  roundDown,
  roundUp,
  toAmount,
  toUnits,
} from './decimal';

/** The terms of an exchange. Numbers are decimal strings. */
export interface Terms {
  /** Units received per unit given, below the first tier. */
  rate: string;
  /** From the given amount `min` on, another rate holds for the whole amount. Ascending. */
  tiers: { min: string; rate: string }[];
  /** Fixed fee taken from the given amount. */
  feeFrom: string;
  /** Fixed fee taken from the received amount. */
  feeTo: string;
  /** Decimals of the given currency. */
  digitsFrom: number;
  /** Decimals of the received currency. */
  digitsTo: number;
  /** Given amounts are multiples of this, at least the last digit; null or missing: of the last digit. */
  stepFrom?: string | null;
  /** Received amounts are multiples of this, at least the last digit; null or missing: of the last digit. */
  stepTo?: string | null;
}

const RATE_ONE = 10n ** BigInt(RATE_SCALE);

/**
 * What is received for `give`: never rounded in the customer's favour, zero when the fees or the step exceed it.
 *
 * Throws a RangeError when `give` is not an amount; what `normalise` returns always is one.
 */
export function receiveFor(give: string, terms: Terms): string {
  return fromUnits(receiveUnits(toAmount(give), terms));
}

/**
 * The least amount, in whole steps or last digits of the given currency, for which at least `receive` is received; null
 * when no amount below 10^12 is enough.
 */
export function giveFor(receive: string, terms: Terms): string | null {
  const wanted = roundUp(toAmount(receive), receiveGrid(terms));
  if (wanted === 0n) return '0';
  const give = leastGive(wanted, terms);
  if (give === null || receiveUnits(give, terms) >= AMOUNT_LIMIT) return null;
  return fromUnits(give);
}

/** The step or last digit of the given currency, in units. */
export function giveGrid({ stepFrom, digitsFrom }: Terms): bigint {
  return stepFrom ? toAmount(stepFrom) : lastDigit(digitsFrom);
}

/** The step or last digit of the received currency, in units. */
function receiveGrid({ stepTo, digitsTo }: Terms): bigint {
  return stepTo ? toAmount(stepTo) : lastDigit(digitsTo);
}

function receiveUnits(give: bigint, terms: Terms): bigint {
  const net = give - toAmount(terms.feeFrom);
  if (net <= 0n) return 0n;
  const gross = (net * rateAt(give, terms)) / RATE_ONE;
  const received = gross - toAmount(terms.feeTo);
  return received > 0n ? roundDown(received, receiveGrid(terms)) : 0n;
}

/** The rate of a given amount, in units of 10^-24. */
function rateAt(give: bigint, terms: Terms): bigint {
  const tier = terms.tiers.findLast(({ min }) => toAmount(min) <= give);
  return toUnits((tier ?? terms).rate, RATE_SCALE);
}

/**
 * Tiers ascend, and within one more given is never less received, so the first tier with an answer
 * has the least one, even where a tier is worse than the one before it.
 */
function leastGive(wanted: bigint, terms: Terms): bigint | null {
  const grid = giveGrid(terms);
  const pieces = [{ min: '0', rate: terms.rate }, ...terms.tiers];
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    const end = next ? toAmount(next.min) : AMOUNT_LIMIT;
    const rate = toUnits(piece.rate, RATE_SCALE);
    const net = divideUp((wanted + toAmount(terms.feeTo)) * RATE_ONE, rate);
    const enough = roundUp(net + toAmount(terms.feeFrom), grid);
    const first = roundUp(toAmount(piece.min), grid);
    const give = enough > first ? enough : first;
    if (give < end) return give;
  }
  return null;
}
