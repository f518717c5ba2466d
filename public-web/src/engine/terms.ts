import {
  AMOUNT_LIMIT,
  COURSE_SCALE,
  divideUp,
  fromUnits,
  lastDigit,
  roundDown,
  roundUp,
  toAmount,
  toUnits,
} from './decimal';

/** What an exchange is computed from. Numbers are decimal strings. */
export interface Terms {
  /** Units received for one unit sent, below the first tier. */
  course: string;
  /** From the sent amount `min` on, another course holds for the whole amount. Ascending. */
  tiers: { min: string; course: string }[];
  /** Fixed fee taken from the sent amount. */
  feeFrom: string;
  /** Fixed fee taken from the received amount. */
  feeTo: string;
  /** Decimals of the sent currency. */
  digitsFrom: number;
  /** Decimals of the received currency. */
  digitsTo: number;
}

const COURSE_ONE = 10n ** BigInt(COURSE_SCALE);

/**
 * What is received for sending `send`: never rounded in the customer's favour, zero when the fees
 * eat it.
 *
 * Throws a RangeError when `send` is not an amount; what `normalise` returns always is one.
 */
export function receiveFor(send: string, terms: Terms): string {
  return fromUnits(receiveUnits(toAmount(send), terms));
}

/**
 * The least amount, in whole last digits of the sent currency, for which at least `receive` is
 * received; null when no amount below 10^12 is enough.
 */
export function sendFor(receive: string, terms: Terms): string | null {
  const wanted = roundUp(toAmount(receive), lastDigit(terms.digitsTo));
  if (wanted === 0n) {
    return '0';
  }
  const send = leastSend(wanted, terms);
  if (send === null || receiveUnits(send, terms) >= AMOUNT_LIMIT) {
    return null;
  }
  return fromUnits(send);
}

function receiveUnits(send: bigint, terms: Terms): bigint {
  const net = send - toAmount(terms.feeFrom);
  if (net <= 0n) {
    return 0n;
  }
  const gross = (net * courseAt(send, terms)) / COURSE_ONE;
  const received = gross - toAmount(terms.feeTo);
  return received > 0n ? roundDown(received, lastDigit(terms.digitsTo)) : 0n;
}

/** The course that holds for a sent amount, in units of 10^-24. */
function courseAt(send: bigint, terms: Terms): bigint {
  const tier = terms.tiers.findLast(({ min }) => toAmount(min) <= send);
  return toUnits((tier ?? terms).course, COURSE_SCALE);
}

/**
 * Tiers ascend, and within one more sent is never less received, so the first tier with an answer
 * has the least one, even where a tier is worse than the one before it.
 */
function leastSend(wanted: bigint, terms: Terms): bigint | null {
  const grid = lastDigit(terms.digitsFrom);
  const pieces = [{ min: '0', course: terms.course }, ...terms.tiers];
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    const end = next ? toAmount(next.min) : AMOUNT_LIMIT;
    const course = toUnits(piece.course, COURSE_SCALE);
    const net = divideUp((wanted + toAmount(terms.feeTo)) * COURSE_ONE, course);
    const enough = roundUp(net + toAmount(terms.feeFrom), grid);
    const first = roundUp(toAmount(piece.min), grid);
    const send = enough > first ? enough : first;
    if (send < end) {
      return send;
    }
  }
  return null;
}
