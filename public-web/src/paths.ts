import type { Locale } from './i18n/locale';

/** Query parameters that preselect the currencies of the calculator: codes or ids. */
export interface Preselected {
  cur_from?: string;
  cur_to?: string;
  /** The code of the city, for cash. */
  city?: string;
}

/** The addresses of the site in one language: Russian has no prefix, English lives under /en. */
export function pathsFor(locale: Locale) {
  const at = (path: string) => (locale === 'en' ? (path === '/' ? '/en' : `/en${path}`) : path);
  return {
    home: (query: Preselected = {}) => {
      const search = new URLSearchParams(query as Record<string, string>).toString();
      return search ? `${at('/')}?${search}` : at('/');
    },
    tech: () => at('/tech'),
    claim: () => at('/claim'),
    claimById: (id: string) => at(`/claim/${encodeURIComponent(id)}`),
    claimSuccess: () => at('/claim/success'),
    claimFail: () => at('/claim/fail'),
    account: () => at('/account'),
    orders: (page = 1) => at('/account/orders') + (page > 1 ? `?page=${page}` : ''),
    settings: () => at('/account/settings'),
    recover: () => at('/recover'),
    discounts: () => at('/discounts'),
    verify: (id: string) => at(`/verify/${encodeURIComponent(id)}`),
  };
}

/** The same page in another language, with its query. */
export function inLocale(pathname: string, search: string, locale: Locale): string {
  const bare = pathname.replace(/^\/en(?=\/|$)/, '') || '/';
  return (locale === 'en' ? (bare === '/' ? '/en' : `/en${bare}`) : bare) + search;
}
