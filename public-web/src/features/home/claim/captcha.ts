import { call } from '../../../api/client';
import { answerTo } from '../../../captcha/captcha';
import type { Locale } from '../../../i18n/locale';

/** The word for the payload's `recaptcha`, or null when none is asked for now. */
export async function captchaWord(locale: Locale): Promise<string | null> {
  const check = await call(locale, 'GET /claim/captchacheck', {});
  return check.required ? answerTo(locale, check) : null;
}
