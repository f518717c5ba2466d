import { EmailsOff } from '../../../components/EmailsOff';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { useSendsEmails } from '../../../site';
import { SendAgain } from '../SendAgain';

export function ActivationBanner() {
  const t = useT('account');
  const isSent = useSendsEmails();
  if (!isSent) return <EmailsOff />;
  return (
    <Notice tone="warning">
      <p>{t('banner.text')}</p>
      <SendAgain />
    </Notice>
  );
}
