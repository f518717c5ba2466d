import { useCallback } from 'react';
import { call } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import { Link } from '../../../components/Link';
import { Notice } from '../../../components/Notice';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';

/** Something was asked of the customer to be shown by photos, and where that is done. */
export function VerificationBanner() {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const ask = useCallback(() => call(locale, 'GET /users/me/verifications/', { quiet: true }), [locale]);
  const [answer] = useAnswer(ask);
  const asked = answer.state === 'here' ? answer.value.items.find(({ state }) => state === 'asked') : undefined;
  if (asked === undefined) return null;
  return (
    <Notice tone="warning">
      <p>{t(`proved.banner_${asked.kind}`)}</p>
      <Link to={paths.verify(asked.id)}>{t('proved.open')}</Link>
    </Notice>
  );
}
