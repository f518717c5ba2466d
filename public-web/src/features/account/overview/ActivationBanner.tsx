import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { SendAgain } from '../SendAgain';

/** The address is not confirmed yet: what that means, and the link once more. */
export function ActivationBanner() {
  const t = useT('account');
  return (
    <Notice tone="warning">
      <p>{t('banner.words')}</p>
      <SendAgain />
    </Notice>
  );
}
