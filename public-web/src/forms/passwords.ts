import type { Translate } from '../i18n/texts';

/** The server's bounds, in characters. */
const [LEAST, MOST] = [10, 128];

/** The length error of a new password; only the server knows whether it is easy to guess. */
export function passwordCheck(t: Translate<'account'>): (password: string) => string | null {
  return (password) => {
    const { length } = [...password];
    return length < LEAST || length > MOST ? t('password.length', { min: LEAST, max: MOST }) : null;
  };
}

export function passwordHint(t: Translate<'account'>): string {
  return t('password.hint', { min: LEAST });
}
