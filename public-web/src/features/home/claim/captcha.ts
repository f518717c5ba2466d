import type { ApiError } from '@agio/client/problem';
import { call } from '../../../api/client';
import type { CaptchaCheck } from '../../../api/types';
import { answerTo } from '../../../captcha/captcha';
import type { Locale } from '../../../i18n/locale';

/** The token for `recaptcha`, or null when none is required now. */
export async function captchaToken(locale: Locale): Promise<string | null> {
  const check = await call(locale, 'GET /claim/captchacheck', {});
  return check.required ? answerTo(locale, check) : null;
}

/** The token for a refused claim: the refusal contains the captcha. */
export function captchaTokenFor(locale: Locale, refusal: ApiError): Promise<string | null> {
  const captcha = refusal.param('captcha');
  return captcha === null ? captchaToken(locale) : answerTo(locale, JSON.parse(captcha) as CaptchaCheck);
}
