import { call } from '../../../api/client';
import { ApiError } from '../../../api/errors';
import type { ClaimDraft, CreatedClaim } from '../../../api/types';
import type { Locale } from '../../../i18n/locale';
import { newKey } from '../../../newKey';
import { rememberedCode } from '../../../referral/memory';
import { captchaWord, wordAskedFor } from './captcha';
import { asking } from './promo';

/** A draft on its way: kept until the server answers, so that a second try is the same try. */
interface Pending {
  key: string;
  /** The draft without what changes by itself between two tries. */
  meaning: string;
  body: ClaimDraft;
}

const STORE = 'agio.claim.pending';

function meaningOf(draft: ClaimDraft): string {
  return JSON.stringify({ ...draft, quoteId: null, recaptcha: null });
}

function pendingFor(draft: ClaimDraft): Pending | null {
  try {
    const pending = JSON.parse(sessionStorage.getItem(STORE) ?? 'null') as Pending | null;
    return pending?.meaning === meaningOf(draft) ? pending : null;
  } catch {
    return null;
  }
}

function keep(pending: Pending | null): void {
  try {
    if (pending) {
      sessionStorage.setItem(STORE, JSON.stringify(pending));
    } else {
      sessionStorage.removeItem(STORE);
    }
  } catch {
    // Without storage the key lives as long as this try.
  }
}

/** The draft with the promo code its numbers were made with. */
function withPromo(draft: ClaimDraft): ClaimDraft {
  const { promo } = asking;
  return promo === undefined ? draft : { ...draft, extras: { ...draft.extras, promo } };
}

async function prepare(draft: ClaimDraft, captcha: () => Promise<string | null>): Promise<Pending> {
  const known = pendingFor(draft);
  if (known) {
    return known;
  }
  const word = await captcha();
  const refferal = rememberedCode();
  const body = { ...draft, ...(word !== null && { recaptcha: word }), ...(refferal && { refferal }) };
  return { key: newKey(), meaning: meaningOf(draft), body };
}

async function send(locale: Locale, pending: Pending): Promise<CreatedClaim> {
  keep(pending);
  try {
    const claim = await call(locale, 'POST /claim/', { body: pending.body, idempotencyKey: pending.key });
    keep(null);
    return claim;
  } catch (error) {
    // The server said no: the next try is a new one. Without an answer, or after a failure of the server's own,
    // the claim may exist already, and the same key finds it.
    if (error instanceof ApiError && error.status < 500) {
      keep(null);
    }
    throw error;
  }
}

/**
 * Makes the claim, solving a captcha first where one is asked for.
 *
 * A try that got no answer is repeated with the same key and body, so that one claim is made, not two.
 */
export async function submitClaim(locale: Locale, typed: ClaimDraft): Promise<CreatedClaim> {
  const draft = withPromo(typed);
  try {
    return await send(locale, await prepare(draft, () => captchaWord(locale)));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'captcha_required') {
      return send(locale, await prepare(draft, () => wordAskedFor(locale, error)));
    }
    throw error;
  }
}
