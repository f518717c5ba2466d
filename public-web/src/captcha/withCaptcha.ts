import { ApiError } from '@agio/client/problem';
import { call } from '../api/client';
import type { CaptchaAction } from '../api/types';
import type { Locale } from '../i18n/locale';
import { answerTo } from './captcha';

/**
 * Makes a call that may require a captcha. It is solved in advance where everybody needs one, and once more when the
 * server refuses the call without it: a proof of work only takes a little longer.
 */
export async function withCaptcha<T>(
  locale: Locale,
  action: CaptchaAction,
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
    if (next === null) throw error;
    return make({ recaptcha: next });
  }
}
