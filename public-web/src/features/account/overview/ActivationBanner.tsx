import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { SendAgain } from '../SendAgain';

export function ActivationBanner() {
  const t = useT('account');
  return (
    <Notice tone="warning">
      <p>{t('banner.text')}</p>
      <SendAgain />
    </Notice>
  );
}
