import type { Say } from '../i18n/texts';

/** The bounds the server has for a password, in characters. */
const [LEAST, MOST] = [10, 128];

/** Says what is wrong with the length of a new password; whether it is easy to guess only the server knows. */
export function passwordCheck(t: Say<'account'>): (password: string) => string | null {
  return (password) => {
    const { length } = [...password];
    return length < LEAST || length > MOST ? t('password.length', { min: LEAST, max: MOST }) : null;
  };
}

/** What a new password has to be, under its field. */
export function passwordHint(t: Say<'account'>): string {
  return t('password.hint', { min: LEAST });
}
