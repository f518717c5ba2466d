import { NetworkError } from '@agio/client/problem';
import { Component, type ReactNode } from 'react';
import { PageError } from '../../api/errors';
import { Announcement, AnnouncementActions, AnnouncementText } from '../../components/Announcement';
import { Button, ButtonLink } from '../../components/Button';
import { Head } from '../../components/Head';
import { Layout } from '../../components/Layout';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { openAccountDialog } from '../../session/accountDialog';
import { useSite } from '../../site';
import styles from './ErrorPage.module.css';
import { NoConnectionPage } from './NoConnectionPage';

/** Robots would index a temporary error. */
const ROBOT = /bot\b|crawl|spider|slurp|yandex(?!search)|bingpreview|facebookexternalhit|lighthouse/i;

function isRobot(): boolean {
  return typeof navigator !== 'undefined' && ROBOT.test(navigator.userAgent);
}

interface PageErrorsProps {
  /** The key of the address. */
  at: string;
  children: ReactNode;
}

interface PageErrorsState {
  at: string;
  failure: { error: unknown } | null;
}

/** In place of a page that cannot be shown, until the visitor goes elsewhere. */
export class PageErrors extends Component<PageErrorsProps, PageErrorsState> {
  override state: PageErrorsState = { at: this.props.at, failure: null };

  static getDerivedStateFromError(error: unknown): Partial<PageErrorsState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ at }: PageErrorsProps, state: PageErrorsState): PageErrorsState | null {
    return at === state.at ? null : { at, failure: null };
  }

  override render() {
    const { failure } = this.state;
    return failure ? <Failure error={failure.error} /> : this.props.children;
  }
}

function Failure({ error }: { error: unknown }) {
  if (isRobot()) return null;
  if (error instanceof NetworkError) return <NoConnectionPage />;
  if (error instanceof PageError) return <ErrorPage status={error.status} detail={error.message} />;
  return <ErrorPage status={500} detail={null} />;
}

export function NotFoundPage() {
  return isRobot() ? null : <ErrorPage status={404} detail={null} />;
}

function ErrorPage({ status, detail }: { status: number; detail: string | null }) {
  const t = useT('common');
  const paths = usePaths();
  const { supportEmail } = useSite();
  const missing = status === 404;
  return (
    <Layout>
      <Head title={missing ? t('error_404') : t('error_page')} />
      <Announcement code={String(status)}>
        <p className={styles.denomination} aria-hidden="true">
          {status}
        </p>
        <h1 lang="en">{missing ? t('error_404') : t('error_page')}</h1>
        <AnnouncementText>{missing ? t('error_404_more') : t('error_page_more')}</AnnouncementText>
        {detail ? <p className="small muted">{detail}</p> : null}
        {supportEmail ? (
          <p>
            {t('support')} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
          </p>
        ) : null}
        <AnnouncementActions>
          <ButtonLink look="main" to={paths.home()} reloadDocument={!missing}>
            {t('go_home')}
          </ButtonLink>
          {missing ? (
            <Button onClick={() => openAccountDialog({ kind: 'findClaim' })}>{t('find_claim')}</Button>
          ) : (
            <Button onClick={() => window.location.reload()}>{t('reload')}</Button>
          )}
        </AnnouncementActions>
      </Announcement>
    </Layout>
  );
}
