import type { Guarded } from '../api/account';
import { call } from '../api/client';
import { ApiError } from '../api/errors';
import type { Locale } from '../i18n/locale';
import { answerTo } from './captcha';

/**
 * Makes a call that a captcha may be asked for. The answer is worked out before, where one is asked of everybody, and
 * once more when the server refuses the call for the want of one: the visitor only waits a little longer.
 */
export async function withCaptcha<T>(
  locale: Locale,
  action: Guarded,
  make: (answer: { recaptcha?: string }) => Promise<T>,
): Promise<T> {
  const ask = () => call(locale, 'GET /front-api/auth/captcha/', { query: { action } });
  const { required, challenge } = await ask();
  try {
    return await make(required && challenge ? { recaptcha: await answerTo(challenge) } : {});
  } catch (error) {
    const isWanted = error instanceof ApiError && error.problem.errors?.recaptcha !== undefined;
    const next = isWanted ? (await ask()).challenge : null;
    if (next === null) {
      throw error;
    }
    return make({ recaptcha: await answerTo(next) });
  }
}
