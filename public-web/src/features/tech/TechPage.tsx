import { dateText } from '@agio/client/format';
import { Announcement, AnnouncementText } from '../../components/Announcement';
import { ButtonLink } from '../../components/Button';
import { Head } from '../../components/Head';
import { TechLayout } from '../../components/Layout';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { useSite } from '../../site';
import { useHasClaim } from '../../useHasClaim';
import { useServiceStatus } from '../../watch/serviceStatus';

/** Technical mode: when service is expected back, and a link to the claim in progress. */
export function Component() {
  const t = useT('tech');
  const common = useT('common');
  const paths = usePaths();
  const locale = useLocale();
  const mode = useServiceStatus()?.technicalMode;
  const hasClaim = useHasClaim();
  const { supportEmail, siteName } = useSite();
  const back = mode?.time ? Date.parse(mode.time) : Number.NaN;
  const when = Number.isFinite(back) ? dateText(back, locale, { dateStyle: 'long', timeStyle: 'short' }) : null;
  return (
    <TechLayout>
      <Head title={`${t('title')} | ${siteName}`} />
      <Announcement code="TECH" isWhole>
        <h1>{t('title')}</h1>
        <AnnouncementText>{t('text')}</AnnouncementText>
        {when ? <AnnouncementText>{t('until', { when })}</AnnouncementText> : null}
        {hasClaim ? <ButtonLink to={paths.claim()}>{common('my_claim')}</ButtonLink> : null}
        {supportEmail ? (
          <p className="muted">
            {common('support')} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
          </p>
        ) : null}
      </Announcement>
    </TechLayout>
  );
}
