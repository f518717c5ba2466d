import { useT } from '../i18n/texts';
import { useSite } from '../site';
import { Notice } from './Notice';

/** Stands where an email would be promised, on an exchange that sends none. */
export function EmailsOff() {
  const t = useT('common');
  const { supportEmail } = useSite();
  return (
    <Notice tone="warning">
      <p>{t('emails_off')}</p>
      {supportEmail === '' ? null : (
        <p>
          {t('support')} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
        </p>
      )}
    </Notice>
  );
}
