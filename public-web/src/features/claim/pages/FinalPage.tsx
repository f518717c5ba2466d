import { useSearchParams } from 'react-router';
import { Announcement, AnnouncementActions, AnnouncementText } from '../../../components/Announcement';
import { Button, ButtonLink } from '../../../components/Button';
import { ClaimLink } from '../../../components/ClaimLink';
import { Head } from '../../../components/Head';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { openAccountDialog } from '../../../session/accountDialog';
import { useSite } from '../../../site';
import { ClaimScreen } from '../ClaimScreen';

type End = 'success' | 'fail';

/** The final page of the claim that the address names. */
export function FinalPage({ at }: { at: End }) {
  const [query] = useSearchParams();
  const id = query.get('id');
  return id ? <ClaimScreen key={id} id={id} at={at} /> : <Unnamed at={at} />;
}

/** Where payment pages of others send a customer back to, without saying which claim was paid. */
function Unnamed({ at }: { at: End }) {
  const t = useT('claim');
  const common = useT('common');
  const paths = usePaths();
  const { siteName } = useSite();
  return (
    <>
      <Head title={`${t(`${at}.unnamed`)} | ${siteName}`} />
      <Announcement code={at}>
        <h1>{t(`${at}.unnamed`)}</h1>
        <AnnouncementText>{t(`${at}.unnamedText`)}</AnnouncementText>
        <AnnouncementActions>
          <ClaimLink />
          <Button look="main" onClick={() => openAccountDialog({ kind: 'findClaim' })}>
            {common('find_claim')}
          </Button>
          <ButtonLink to={paths.home()}>{common('go_home')}</ButtonLink>
        </AnnouncementActions>
      </Announcement>
    </>
  );
}
