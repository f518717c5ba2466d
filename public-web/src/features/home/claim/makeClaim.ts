import { ApiError, wordsFor } from '../../../api/errors';
import type { ClaimDraft, Pair } from '../../../api/types';
import { clampSend, receiveFor, sendFor } from '../../../engine';
import { fromUnits, lastDigit, toAmount } from '../../../engine/decimal';
import type { Locale } from '../../../i18n/locale';
import type { Say } from '../../../i18n/texts';
import { termsOf } from '../calculator/entry';
import type { Calculator } from '../calculator/useCalculator';
import { submitClaim } from './submitClaim';
import type { Stub } from './useStub';
import type { Changed, Failure, Sums } from './useSubmission';

interface Wanted {
  locale: Locale;
  calculator: Calculator;
  stub: Stub;
  sums: Sums;
  /** The pair, by ids. */
  pair: string;
  common: Say<'common'>;
}

/** The new claim's id, or why there is none. */
export type ClaimOutcome = { id: string } | { isTechnical: boolean; changed: Changed | null; failure: Failure | null };

/** Names of the server's fields that stand on the page under other names. */
const PLACES: Record<string, string> = {
  fromSumma: 'amount',
  toSumma: 'amount',
  'extras.termsVersion': 'terms',
  'extras.amlConsent': 'terms',
  'extras.ownFunds': 'ownFunds',
};

/** Makes a claim from what is on the page, and tells what the server said against it. */
export async function makeClaim(wanted: Wanted): Promise<ClaimOutcome> {
  const draft = draftOf(wanted);
  try {
    return await submitClaim(wanted.locale, draft);
  } catch (error) {
    if (error instanceof ApiError) {
      return refused(error, wanted);
    }
    throw error;
  }
}

function draftOf({ calculator: { pair, from, to, market }, stub, sums }: Wanted): ClaimDraft {
  if (!pair || !from || !to) {
    throw new TypeError('Nothing is chosen');
  }
  const termsVersion = market?.settings?.termsVersion;
  return {
    email: stub.email.trim(),
    fromPs: from.id,
    toPs: to.id,
    fromSumma: sums.fromSumma,
    toSumma: sums.toSumma,
    fromRequisites: stub.requisites('from'),
    toRequisites: stub.requisites('to'),
    quoteId: pair.quote.id,
    extras: {
      ...(termsVersion && { termsVersion }),
      amlConsent: true,
      ownFunds: true,
      ...(stub.consents.keep && { keepRequisites: true }),
    },
  };
}

/** The sums by which at most so much is received; null where the pair allows none so small. */
export function sumsWithin(most: string, pair: Pair): Sums | null {
  const terms = termsOf(pair);
  const enough = sendFor(most, terms);
  if (enough === null) {
    return null;
  }
  // What is just enough may bring some last digits more.
  const isMore = toAmount(receiveFor(enough, terms)) > toAmount(most);
  const send = isMore ? fromUnits(toAmount(enough) - lastDigit(terms.digitsFrom)) : enough;
  const isAllowed = clampSend(send, { from: pair.from, to: pair.to }).snapped === null;
  return isAllowed ? { fromSumma: send, toSumma: receiveFor(send, terms) } : null;
}

async function refused(error: ApiError, { calculator, stub, sums, pair, common }: Wanted): Promise<ClaimOutcome> {
  const words = wordsFor(error, common);
  const failure = { words };
  if (error.code === 'technical_mode') {
    return { isTechnical: true, changed: null, failure };
  }
  if (error.code === 'rate_changed') {
    const [course, fromSumma, toSumma] = ['course', 'fromSumma', 'toSumma'].map((name) => error.param(name));
    await calculator.renew();
    const isNamed = course && fromSumma && toSumma;
    return isNamed
      ? { isTechnical: false, changed: { pair, course, fromSumma, toSumma, was: sums.toSumma }, failure: null }
      : { isTechnical: false, changed: null, failure };
  }
  if (error.code === 'reserve_share_full' && calculator.pair) {
    const most = sumsWithin(error.param('max') ?? '0', calculator.pair);
    return { isTechnical: false, changed: null, failure: most ? { words, most } : failure };
  }
  if (/^amount_(below_min|above_max)$|^pair_unavailable$/.test(error.code)) {
    await calculator.renew();
    calculator.leave();
  }
  const messages = Object.entries(error.fieldMessages()).map(([field, text]) => [PLACES[field] ?? field, text]);
  stub.setErrors(Object.fromEntries(messages) as Record<string, string>);
  return { isTechnical: false, changed: null, failure };
}
