import type { Translate } from '../i18n/texts';

/** What every address has; whether it exists, only an email shows. */
export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/;

/** The error of an address that was mistyped. */
export function emailCheck(t: Translate<'account'>): (email: string) => string | null {
  return (email) => (EMAIL.test(email.trim()) ? null : t('email_wrong'));
}
