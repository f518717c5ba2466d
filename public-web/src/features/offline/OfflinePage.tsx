import { useEffect, useState } from 'react';
import { onReconnect, useIsOffline } from '../../api/connection';
import { openClaims } from '../../claimMemory';
import { Announcement, AnnouncementText } from '../../components/Announcement';
import { Button, ButtonLink } from '../../components/Button';
import { Head } from '../../components/Head';
import { TechLayout } from '../../components/Layout';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import { useSite } from '../../site';

const reload = () => window.location.reload();

/** In place of a page that cannot be loaded without a connection (worker.js): it opens by itself later. */
export function Component() {
  const t = useT('common');
  const tech = useT('tech');
  const paths = usePaths();
  const { siteName } = useSite();
  const isOffline = useIsOffline();
  const [claims, setClaims] = useState<string[]>([]);
  useEffect(() => setClaims(openClaims()), []);
  useEffect(() => (isOffline ? onReconnect(reload) : undefined), [isOffline]);
  return (
    <TechLayout>
      <Head title={`${t('offline_page')} | ${siteName}`} />
      <Announcement code="OFFLINE" isWhole>
        <h1>{t('offline_page')}</h1>
        <AnnouncementText>{t('offline_page_more')}</AnnouncementText>
        {claims.map((id) => (
          <ButtonLink key={id} to={paths.claimById(id)} reloadDocument>
            {tech('claim')}
          </ButtonLink>
        ))}
        <Button look="main" onClick={reload}>
          {t('try_again')}
        </Button>
      </Announcement>
    </TechLayout>
  );
}
