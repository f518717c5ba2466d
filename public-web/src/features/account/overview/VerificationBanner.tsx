import { useCallback } from 'react';
import { call } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import { Link } from '../../../components/Link';
import { Notice } from '../../../components/Notice';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';

export function VerificationBanner() {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const ask = useCallback(() => call(locale, 'GET /users/me/verifications/', { quiet: true }), [locale]);
  const [answer] = useAnswer(ask);
  const requested = answer.state === 'ready' ? answer.value.items.find(({ state }) => state === 'asked') : undefined;
  if (requested === undefined) return null;
  return (
    <Notice tone="warning">
      <p>{t(`verification.banner_${requested.kind}`)}</p>
      <Link to={paths.verify(requested.id)}>{t('verification.open')}</Link>
    </Notice>
  );
}
