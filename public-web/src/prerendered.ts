import { LOCALES, type Locale } from './i18n/locale';
import { PAGES } from './pages';
import { inLocale } from './paths';

interface Delivery {
  /** The address of a page whose path has a parameter: the server fills it for each value. */
  address?: string;
  /** The module that `load` imports, from the package's root, or the name of its chunk: preloaded with the HTML. */
  source: string;
  /** Not in the sitemap that the build writes. */
  hidden?: boolean;
}

const account: Delivery = { source: 'accounts', hidden: true };
const info: Delivery = { source: 'info' };

/**
 * The pages the build writes HTML for. The others are delivered as an empty page, because their address holds an id or
 * all of their content is the visitor's own.
 */
const DELIVERIES: Record<string, Delivery> = {
  '': { source: 'index.html' },
  rates: { source: 'src/features/rates/RatesPage.tsx' },
  // The server lists both while there is something in them.
  'reviews/:page?': { source: 'src/features/reviews/ReviewsPage.tsx', address: 'reviews', hidden: true },
  'news/:part?': { source: 'src/features/news/NewsPage.tsx', address: 'news', hidden: true },
  'exchange/:slug/:city?': {
    source: 'src/features/home/direction/DirectionPage.tsx',
    address: 'exchange/AGIO_SLOT_SLUG/',
    hidden: true,
  },
  tech: { source: 'src/features/tech/TechPage.tsx', hidden: true },
  account,
  'account/orders': account,
  'account/referrer': account,
  'account/settings': account,
  'account/partner': { source: 'src/features/account/partner/PartnerPage.tsx', hidden: true },
  discounts: { source: 'accounts' },
  recover: account,
  rules: info,
  aml: info,
  faq: info,
  contacts: info,
  partners: info,
  contest: { source: 'src/features/contest/ContestScreen.tsx' },
};

/** What the build writes HTML for, in both languages, and the sources of each page. */
export function prerenderedPages(): { path: string; locale: Locale; hidden: boolean; sources: string[] }[] {
  return LOCALES.flatMap((locale) =>
    PAGES.flatMap(({ path, feature }) => {
      const delivery = DELIVERIES[path];
      if (!delivery) return [];
      const { source, address = path, hidden = false } = delivery;
      const sources = [source, `texts-${locale}`, `src/i18n/${locale}/${feature}.json`];
      return [{ path: inLocale(`/${address}`, '', locale), locale, hidden, sources }];
    }),
  );
}
