import { call } from '../../../api/client';
import type { ApiError } from '../../../api/errors';
import type { CaptchaCheck } from '../../../api/types';
import { answerTo } from '../../../captcha/captcha';
import type { Locale } from '../../../i18n/locale';

/** The word for the payload's `recaptcha`, or null when none is asked for now. */
export async function captchaWord(locale: Locale): Promise<string | null> {
  const check = await call(locale, 'GET /claim/captchacheck', {});
  return check.required ? answerTo(locale, check) : null;
}

/** The word a refused claim asks for: the refusal brings the captcha along. */
export function wordAskedFor(locale: Locale, refusal: ApiError): Promise<string | null> {
  const asked = refusal.param('captcha');
  return asked === null ? captchaWord(locale) : answerTo(locale, JSON.parse(asked) as CaptchaCheck);
}
