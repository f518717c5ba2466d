import { ApiError } from '@agio/client/problem';
import { errorText } from '../../../api/errors';
import type { ClaimDraft, Pair } from '../../../api/types';
import { clampGive, giveWithin, receiveFor, snapGive } from '../../../engine';
import type { Locale } from '../../../i18n/locale';
import type { Translate } from '../../../i18n/texts';
import { termsOf } from '../calculator/entry';
import type { Calculator } from '../calculator/useCalculator';
import { submitClaim } from './submitClaim';
import type { Stub } from './useStub';
import type { Changed, Failure, Sums } from './useSubmission';

interface ClaimInput {
  locale: Locale;
  calculator: Calculator;
  stub: Stub;
  sums: Sums;
  /** The pair, by ids. */
  pair: string;
  common: Translate<'common'>;
}

export type ClaimOutcome = { id: string } | { isTechnical: boolean; changed: Changed | null; failure: Failure | null };

/** The page's names of the server's fields, where they differ. */
const PLACES: Record<string, string> = {
  fromSumma: 'amount',
  toSumma: 'amount',
  'extras.termsVersion': 'terms',
  'extras.amlConsent': 'terms',
  'extras.ownFunds': 'ownFunds',
};

/** Creates a claim; gives the server's refusal where there is one. */
export async function makeClaim(input: ClaimInput): Promise<ClaimOutcome> {
  const draft = draftOf(input);
  try {
    return await submitClaim(input.locale, draft);
  } catch (error) {
    if (error instanceof ApiError) return refused(error, input);
    throw error;
  }
}

function draftOf({ calculator: { pair, from, to, city, market }, stub, sums }: ClaimInput): ClaimDraft {
  if (!pair || !from || !to) throw new TypeError('Nothing is chosen');
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
    ...(city && { city: city.code }),
    extras: {
      ...(termsVersion && { termsVersion }),
      amlConsent: true,
      ownFunds: true,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(stub.consents.keep && { keepRequisites: true }),
    },
  };
}

/** The amounts by which at most so much is received; null where the pair allows none so small. */
export function sumsWithin(most: string, pair: Pair): Sums | null {
  const terms = termsOf(pair);
  const within = giveWithin(most, terms);
  if (within === null || clampGive(within, pair).snapped !== null) return null;
  const give = snapGive(within, terms, pair).value;
  return { fromSumma: give, toSumma: receiveFor(give, terms) };
}

async function refused(error: ApiError, { calculator, stub, sums, pair, common }: ClaimInput): Promise<ClaimOutcome> {
  const text = errorText(error, common);
  const failure = { text };
  if (error.code === 'technical_mode') return { isTechnical: true, changed: null, failure };
  if (error.code === 'rate_changed') {
    const [rate, fromSumma, toSumma] = ['course', 'fromSumma', 'toSumma'].map((name) => error.param(name));
    await calculator.renew();
    const isNamed = rate && fromSumma && toSumma;
    return isNamed
      ? { isTechnical: false, changed: { pair, rate, fromSumma, toSumma, was: sums.toSumma }, failure: null }
      : { isTechnical: false, changed: null, failure };
  }
  if (error.code === 'reserve_share_full' && calculator.pair) {
    const most = sumsWithin(error.param('max') ?? '0', calculator.pair);
    return { isTechnical: false, changed: null, failure: most ? { text, most } : failure };
  }
  if (/^amount_(below_min|above_max|not_multiple)$|^pair_unavailable$/.test(error.code)) {
    await calculator.renew();
    calculator.leave();
  }
  const messages = Object.entries(error.fieldMessages()).map(([field, text]) => [PLACES[field] ?? field, text]);
  stub.setErrors(Object.fromEntries(messages) as Record<string, string>);
  return { isTechnical: false, changed: null, failure };
}
