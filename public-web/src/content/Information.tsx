import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { Head } from '../components/Head';
import { Link } from '../components/Link';
import { LoadFailure } from '../components/LoadFailure';
import { Notice } from '../components/Notice';
import { Skeleton } from '../components/Skeleton';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { inLocale } from '../paths';
import { useSite } from '../site';
import styles from './Information.module.css';
import { type InfoPage, type PageText, usePageText } from './pageText';
import { Text } from './Text';

/** Pages whose old versions may be read: claims refer to them. */
const VERSIONED: readonly string[] = ['rules', 'aml'];

interface InformationProps {
  page: InfoPage;
  /** Between the title and the text. */
  above?: ReactNode;
  /** Under the text. */
  children?: ReactNode;
}

/** A page whose text the operator writes. */
export function Information({ page, above, children }: InformationProps) {
  const { siteName } = useSite();
  const [search] = useSearchParams();
  const requested = search.get('version') ?? '';
  const version = VERSIONED.includes(page) && /^\d{1,9}$/.test(requested) ? requested : undefined;
  const [answer, again] = usePageText(page, version);
  const text = answer.state === 'ready' ? answer.value : null;
  useAnchor(text);
  return (
    <>
      <Head
        title={text ? `${text.title} | ${siteName}` : siteName}
        description={text?.description}
        path={version ? undefined : `/${page}`}
      />
      <article className={`wrap ${styles.page}`}>
        {text ? <h1>{text.title}</h1> : <Skeleton className={styles.title} />}
        {text && !text.present ? <OldVersion page={page} text={text} /> : null}
        {above}
        {text ? <Text page={page} text={text} /> : null}
        {answer.state === 'loading' ? <Skeleton isOpen className={styles.blank} /> : null}
        {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
        {children}
        {text && VERSIONED.includes(page) ? <Versions page={page} text={text} /> : null}
      </article>
    </>
  );
}

/** Opens the question of the address, also where the text arrives after the page. */
function useAnchor(text: PageText | null) {
  const { hash } = useLocation();
  const here = text !== null;
  useEffect(() => {
    const target = here && hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    const question = target?.closest('details');
    if (question) {
      question.open = true;
      // By which theme.js has shown it before.
      document.adoptedStyleSheets = [];
    }
    target?.scrollIntoView();
  }, [here, hash]);
}

function OldVersion({ page, text }: { page: InfoPage; text: PageText }) {
  const t = useT('info');
  const locale = useLocale();
  return (
    <Notice tone="warning">
      <p>
        {t('old', { version: text.version, day: text.updatedOn })}{' '}
        <Link to={inLocale(`/${page}`, '', locale)}>{t('present')}</Link>
      </p>
    </Notice>
  );
}

/** The version shown, and a link to the previous one. */
function Versions({ page, text }: { page: InfoPage; text: PageText }) {
  const t = useT('info');
  const locale = useLocale();
  const before = Number(text.version) - 1;
  // The build wrote this page before there was any version.
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(true), []);
  return (
    <p className={`muted ${styles.version}`}>
      {t('version', { version: text.version, day: text.updatedOn })}
      {isShown && before >= 1 ? (
        <>
          {' '}
          <Link to={inLocale(`/${page}`, `?version=${before}`, locale)}>{t('before')}</Link>
        </>
      ) : null}
    </p>
  );
}
