import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { noteLoss, onReconnect, useIsOffline } from '../../api/connection';
import { Announcement, AnnouncementActions, AnnouncementText } from '../../components/Announcement';
import { Button } from '../../components/Button';
import { ClaimLink } from '../../components/ClaimLink';
import { Head } from '../../components/Head';
import { useT } from '../../i18n/texts';
import { useSite } from '../../site';

const reload = () => window.location.reload();

/** Delivered by the service worker (worker.js). At its own address it would load itself for ever. */
export function Component() {
  const { pathname } = useLocation();
  return <NoConnectionPage isDelivered={!pathname.endsWith('/offline.html')} />;
}

interface NoConnectionPageProps {
  /** Whether the service worker delivered it (worker.js), as the address itself could not be loaded. */
  isDelivered?: boolean;
}

/** In place of a page that the network lost as a whole or in part: it opens by itself later. */
export function NoConnectionPage({ isDelivered = false }: NoConnectionPageProps) {
  const t = useT('common');
  const { siteName } = useSite();
  const isOffline = useIsOffline();
  useEffect(() => (isOffline ? onReconnect(reload) : undefined), [isOffline]);
  useEffect(() => {
    if (isDelivered) noteLoss();
  }, [isDelivered]);
  return (
    <>
      <Head title={`${t('offline_page')} | ${siteName}`} />
      <Announcement code="OFFLINE" isWhole>
        <h1>{t('offline_page')}</h1>
        <AnnouncementText>{t('offline_page_more')}</AnnouncementText>
        <AnnouncementActions>
          <Button look="main" onClick={reload}>
            {t('try_again')}
          </Button>
          <ClaimLink />
        </AnnouncementActions>
      </Announcement>
    </>
  );
}
