import type { Locale } from './locale';

const YEAR = 365 * 24 * 60 * 60;

export function rememberLanguage(locale: Locale): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Firefox and Safari.
  document.cookie = `agio_lang=${locale}; path=/; max-age=${YEAR}; samesite=lax`;
}
