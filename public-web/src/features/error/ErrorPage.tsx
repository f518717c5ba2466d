import { Announcement, AnnouncementActions, AnnouncementText } from '../../components/Announcement';
import { Button, ButtonLink } from '../../components/Button';
import { Head } from '../../components/Head';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { openAccountDialog } from '../../session/accountDialog';
import { useSite } from '../../site';
import styles from './ErrorPage.module.css';
import { isRobot } from './robots';

/** The page of an unknown address. */
export function Component() {
  return isRobot() ? null : <ErrorPage status={404} detail={null} />;
}

export function ErrorPage({ status, detail }: { status: number; detail: string | null }) {
  const t = useT('common');
  const paths = usePaths();
  const { supportEmail } = useSite();
  const missing = status === 404;
  return (
    <>
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
    </>
  );
}
