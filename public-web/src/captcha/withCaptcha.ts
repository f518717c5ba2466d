import type { Guarded } from '../api/account';
import { call } from '../api/client';
import { ApiError } from '../api/errors';
import type { Locale } from '../i18n/locale';
import { answerTo } from './captcha';

/**
 * Makes a call that a captcha may be asked for. The answer is got before, where one is asked of everybody, and once more when the
 * server refuses the call for the want of one: with a proof of work the visitor only waits a little longer.
 */
export async function withCaptcha<T>(
  locale: Locale,
  action: Guarded,
  make: (answer: { recaptcha?: string }) => Promise<T>,
): Promise<T> {
  const ask = () => call(locale, 'GET /front-api/auth/captcha/', { query: { action } });
  const check = await ask();
  const answer = check.required ? await answerTo(locale, check) : null;
  try {
    return await make(answer === null ? {} : { recaptcha: answer });
  } catch (error) {
    const isWanted = error instanceof ApiError && error.problem.errors?.recaptcha !== undefined;
    const next = isWanted ? await answerTo(locale, await ask()) : null;
    if (next === null) {
      throw error;
    }
    return make({ recaptcha: next });
  }
}
