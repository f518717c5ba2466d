import { useCallback } from 'react';
import { call } from '../../../api/client';
import type { CustomerVerification } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { ButtonLink } from '../../../components/Button';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { momentText } from '../moments';
import styles from './settings.module.css';

export function Verifications() {
  const t = useT('account');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/verifications/', { quiet: true }), [locale]);
  const [answer, again] = useAnswer(ask);
  if (answer.state === 'loading') return <Skeleton className={styles.blank} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  const items = answer.value.items.filter(({ state }) => state !== 'ended');
  if (items.length === 0) return <p className="muted">{t('verification.none')}</p>;
  return (
    <ul className={styles.sessions}>
      {items.map((verification) => (
        <Line key={verification.id} verification={verification} />
      ))}
    </ul>
  );
}

function Line({ verification }: { verification: CustomerVerification }) {
  const t = useT('account');
  const locale = useLocale();
  const paths = usePaths();
  const { id, kind, card, state, createdAt, decidedAt } = verification;
  const ofCard = card === null ? t('verification.card_unknown') : t('verification.card', { card });
  const at = decidedAt ?? createdAt;
  return (
    <li className={styles.session}>
      <div>
        <p className={styles.browser}>{kind === 'card' ? ofCard : t('verification.identity')}</p>
        <p className="small muted num">
          {t(`verification.${state}`)}, <time dateTime={at}>{momentText(at, locale, new Date())}</time>
        </p>
      </div>
      {state === 'asked' ? (
        <ButtonLink size="small" to={paths.verify(id)}>
          {t('verification.open')}
        </ButtonLink>
      ) : null}
    </li>
  );
}
