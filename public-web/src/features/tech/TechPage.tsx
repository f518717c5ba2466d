import { dateText } from '@agio/client/format';
import { Announcement, AnnouncementText } from '../../components/Announcement';
import { ButtonLink } from '../../components/Button';
import { ClaimLink } from '../../components/ClaimLink';
import { Head } from '../../components/Head';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { useSite } from '../../site';
import { useServiceStatus } from '../../watch/serviceStatus';

/** Technical mode: when service is expected back, and a link to the claim in progress. Outside of it, that we are open. */
export function Component() {
  const t = useT('tech');
  const common = useT('common');
  const locale = useLocale();
  const mode = useServiceStatus()?.technicalMode;
  const { supportEmail, siteName } = useSite();
  const paths = usePaths();
  const isOpen = mode?.on === false;
  const back = mode?.time ? Date.parse(mode.time) : Number.NaN;
  const when = Number.isFinite(back) ? dateText(back, locale, { dateStyle: 'long', timeStyle: 'short' }) : null;
  return (
    <>
      <Head title={`${t(isOpen ? 'open' : 'title')} | ${siteName}`} />
      <Announcement code="TECH" isWhole>
        <h1>{t(isOpen ? 'open' : 'title')}</h1>
        <AnnouncementText>{t(isOpen ? 'open_text' : 'text')}</AnnouncementText>
        {when ? <AnnouncementText>{t('until', { when })}</AnnouncementText> : null}
        {isOpen ? (
          <ButtonLink look="main" to={paths.home()}>
            {common('go_home')}
          </ButtonLink>
        ) : null}
        <ClaimLink />
        {supportEmail ? (
          <p className="muted">
            {common('support')} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
          </p>
        ) : null}
      </Announcement>
    </>
  );
}
