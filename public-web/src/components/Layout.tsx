import { type ReactNode, useRef } from 'react';
import { useLocation } from 'react-router';
import { BRAND } from '../brand';
import type { InfoPage } from '../content/pageText';
import { LOCALES, useLocale } from '../i18n/locale';
import { rememberLanguage } from '../i18n/rememberLanguage';
import { useT } from '../i18n/texts';
import { usePaths } from '../i18n/usePaths';
import { ClaimBar } from '../openClaims/ClaimBar';
import { inLocale } from '../paths';
import { AccountEntry } from '../session/AccountEntry';
import { openAccountDialog } from '../session/accountDialog';
import { useSite } from '../site';
import { BrandMarkup } from './BrandMarkup';
import { cx } from './cx';
import { Band } from './Guilloche';
import { Icon } from './Icon';
import styles from './Layout.module.css';
import { Link } from './Link';
import { Mark } from './Mark';
import { Micro } from './Micro';
import { ThemeSwitch } from './ThemeSwitch';
import { useMenuClosing } from './useMenuClosing';

interface LayoutProps {
  /** Without navigation, as in technical mode. */
  isBare: boolean;
  children: ReactNode;
}

/** The header, the page, the footer. */
export function Layout({ isBare, children }: LayoutProps) {
  const t = useT('common');
  return (
    <>
      {isBare ? null : (
        <a className={styles.skip} href="#main">
          {t('skip')}
        </a>
      )}
      <Header isBare={isBare} />
      {isBare ? null : <ClaimBar />}
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
      {isBare ? null : <Footer />}
    </>
  );
}

function Header({ isBare }: { isBare: boolean }) {
  const t = useT('common');
  const paths = usePaths();
  const { siteName } = useSite();
  return (
    <header className={cx('wrap', styles.top)}>
      <Link className={styles.brand} to={paths.home()} aria-label={t('brand_home', { name: siteName })}>
        <Mark />
        <span>{siteName}</span>
      </Link>
      {isBare ? null : <Nav />}
      <div className={styles.tools}>
        {isBare ? null : <AccountEntry />}
        <Languages className={isBare ? undefined : styles.wide} />
        <ThemeSwitch />
        {isBare ? null : (
          <button type="button" className={cx(styles.tool, styles.burger)} popoverTarget={MENU} aria-label={t('menu')}>
            <Icon name="menu" />
          </button>
        )}
      </div>
    </header>
  );
}

const MENU = 'menu';

/** Nothing is painted before it is there (scripts/html.mjs). */
const PAGE_END = 'footer';

/** The sections: a row on wide screens, a menu on others, which opens without a script as well. */
function Nav() {
  const t = useT('common');
  const locale = useLocale();
  const paths = usePaths();
  const { pathname } = useLocation();
  const box = useRef<HTMLElement>(null);
  // It may be open before this runs.
  useMenuClosing(box, () => {
    if (box.current?.matches(':popover-open')) box.current.hidePopover();
  });
  const items = [
    [paths.home(), t('nav_exchange')],
    [inLocale('/rates', '', locale), t('foot_rates')],
    [paths.discounts(), t('foot_discounts')],
    [inLocale('/partners', '', locale), t('foot_partners')],
    [inLocale('/faq', '', locale), t('foot_faq')],
  ] as const;
  const isHere = (to: string) => pathname.replace(/(?<=.)\/$/, '') === to;
  return (
    <nav ref={box} id={MENU} popover="auto" className={styles.nav} aria-label={t('menu_label')}>
      {items.map(([to, name]) => (
        <Link key={to} to={to} aria-current={isHere(to) ? 'page' : undefined}>
          {name}
        </Link>
      ))}
      <button type="button" onClick={() => openAccountDialog({ kind: 'findClaim' })}>
        {t('find_claim')}
      </button>
      <Languages className={styles.narrow} />
    </nav>
  );
}

/** Plain links: the page is loaded anew in the other language. */
function Languages({ className }: { className?: string | undefined }) {
  const t = useT('common');
  const current = useLocale();
  const { pathname, search } = useLocation();
  return (
    <fieldset className={cx(styles.languages, className)} aria-label={t('language')}>
      {LOCALES.map((locale) => (
        <a
          key={locale}
          className={styles.tool}
          href={inLocale(pathname, search, locale)}
          lang={locale}
          hrefLang={locale}
          aria-current={locale === current ? 'true' : undefined}
          onClick={(event) => {
            // The calculator updates the address without the router.
            event.currentTarget.href = inLocale(window.location.pathname, window.location.search, locale);
            rememberLanguage(locale);
          }}
        >
          {locale.toUpperCase()}
        </a>
      ))}
    </fieldset>
  );
}

function Footer() {
  const t = useT('common');
  const locale = useLocale();
  const { siteName, supportEmail } = useSite();
  const pages = (...names: InfoPage[]) =>
    names.map((name) => (
      <li key={name}>
        <Link to={inLocale(`/${name}`, '', locale)}>{t(`foot_${name}`)}</Link>
      </li>
    ));
  return (
    <footer id={PAGE_END} className={cx('wrap', styles.foot)}>
      <Band className={styles.band} />
      <Micro className={styles.micro} text={t('micro')} />
      <div className={styles.footGrid}>
        <div>
          <span className={styles.brand}>
            <Mark />
            <span>{siteName}</span>
          </span>
          <p className={cx('muted', styles.motto)}>{BRAND.motto}</p>
        </div>
        <div>
          <h2 className={styles.footHead}>{t('foot_exchange')}</h2>
          <ul>
            <li>
              <Link to={inLocale('/rates', '', locale)}>{t('foot_rates')}</Link>
            </li>
            {pages('discounts', 'contest', 'partners')}
          </ul>
          <BrandMarkup part="pages" as="ul" />
        </div>
        <div>
          <h2 className={styles.footHead}>{t('foot_terms')}</h2>
          <ul>{pages('rules', 'aml', 'faq')}</ul>
        </div>
        <div>
          <h2 className={styles.footHead}>{t('foot_contact')}</h2>
          <ul>
            {pages('contacts')}
            <li>{supportEmail ? <a href={`mailto:${supportEmail}`}>{supportEmail}</a> : null}</li>
          </ul>
          <BrandMarkup part="contacts" as="ul" />
        </div>
      </div>
      <BrandMarkup part="footer" as="div" className={styles.own} />
    </footer>
  );
}
