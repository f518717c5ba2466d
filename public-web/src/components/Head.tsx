import { useLocale } from '../i18n/locale';
import { inLocale } from '../paths';

interface HeadProps {
  title: string;
  description?: string | undefined;
  /** The path without a language prefix; absent on pages that search engines shall not find. */
  path?: string | undefined;
}

/**
 * The site's address. The build writes it into every page, and the browser reads it from there, so that the server may
 * replace it. Without it, addresses are relative.
 */
const ORIGIN: string = import.meta.env.SSR
  ? (import.meta.env.VITE_SITE_ORIGIN ?? '')
  : (document.querySelector<HTMLMetaElement>('meta[name="origin"]')?.content ?? '');

/** The page's title, description and languages. React moves these tags into the head, where the server adds the card. */
export function Head({ title, description, path }: HeadProps) {
  const locale = useLocale();
  const address = (to: 'ru' | 'en') => ORIGIN + inLocale(path ?? '/', '', to);
  return (
    <>
      <title>{title}</title>
      {description ? <meta name="description" content={description} /> : null}
      {path === undefined ? <meta name="robots" content="noindex" /> : null}
      {path === undefined ? null : (
        <>
          <link rel="canonical" href={address(locale)} />
          <link rel="alternate" hrefLang="ru" href={address('ru')} />
          <link rel="alternate" hrefLang="en" href={address('en')} />
          <link rel="alternate" hrefLang="x-default" href={address('ru')} />
          <meta property="og:type" content="website" />
          <meta property="og:title" content={title} />
          {description ? <meta property="og:description" content={description} /> : null}
          <meta property="og:url" content={address(locale)} />
          <meta property="og:locale" content={locale === 'en' ? 'en_US' : 'ru_RU'} />
        </>
      )}
    </>
  );
}
