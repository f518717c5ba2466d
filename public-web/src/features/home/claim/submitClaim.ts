import { ApiError } from '@agio/client/problem';
import { call } from '../../../api/client';
import type { ClaimDraft, CreatedClaim } from '../../../api/types';
import { readStored, writeStored } from '../../../browserStorage';
import type { Locale } from '../../../i18n/locale';
import { newKey } from '../../../newKey';
import { rememberedCode } from '../../../referral/memory';
import { captchaToken, captchaTokenFor } from './captcha';
import { asking } from './promo';

/** A submitted draft, stored until the server answers, so that a retry repeats the same request. */
interface Pending {
  key: string;
  /** The draft without what changes between two attempts. */
  meaning: string;
  body: ClaimDraft;
}

const STORE = 'agio.claim.pending';

function meaningOf(draft: ClaimDraft): string {
  return JSON.stringify({ ...draft, quoteId: null, recaptcha: null });
}

function pendingFor(draft: ClaimDraft): Pending | null {
  const pending = readStored('sessionStorage', STORE) as Pending | null;
  return pending?.meaning === meaningOf(draft) ? pending : null;
}

const keep = (pending: Pending | null) => writeStored('sessionStorage', STORE, pending);

/** The draft with the promo code of its amounts. */
function withPromo(draft: ClaimDraft): ClaimDraft {
  const { promo } = asking;
  return promo === undefined ? draft : { ...draft, extras: { ...draft.extras, promo } };
}

async function prepare(draft: ClaimDraft, captcha: () => Promise<string | null>): Promise<Pending> {
  const known = pendingFor(draft);
  if (known) return known;
  const token = await captcha();
  const refferal = rememberedCode();
  const body = { ...draft, ...(token !== null && { recaptcha: token }), ...(refferal && { refferal }) };
  return { key: newKey(), meaning: meaningOf(draft), body };
}

async function post(locale: Locale, pending: Pending): Promise<CreatedClaim> {
  keep(pending);
  try {
    const claim = await call(locale, 'POST /claim/', { body: pending.body, idempotencyKey: pending.key });
    keep(null);
    return claim;
  } catch (error) {
    // A refusal: the next attempt is a new request. Without an answer, or after a failure of the server, the claim may
    // exist already, and the same key finds it.
    const isOpen = (refusal: ApiError) =>
      refusal.status >= 500 || refusal.status === 429 || refusal.code === 'idempotency_in_progress';
    if (error instanceof ApiError && !isOpen(error)) {
      keep(null);
    }
    throw error;
  }
}

/**
 * Creates the claim, solving a captcha first where one is required. An attempt without an answer is repeated with the
 * same key and body, so that one claim is created, not two.
 */
export async function submitClaim(locale: Locale, typed: ClaimDraft): Promise<CreatedClaim> {
  const draft = withPromo(typed);
  try {
    return await post(locale, await prepare(draft, () => captchaToken(locale)));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'captcha_required') {
      return post(locale, await prepare(draft, () => captchaTokenFor(locale, error)));
    }
    throw error;
  }
}
