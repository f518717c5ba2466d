import { useCallback } from 'react';
import type { KeptRequisites as Kept } from '../../../api/account';
import { call } from '../../../api/client';
import { ApiError, wordsFor } from '../../../api/errors';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Skeleton } from '../../../components/Skeleton';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { LoadFailure } from '../LoadFailure';
import styles from './settings.module.css';

/** The requisites the account keeps, each masked, and the way to forget them. */
export function KeptRequisites() {
  const t = useT('account');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/requisites/', { quiet: true }), [locale]);
  const [answer, again] = useAnswer(ask);
  if (answer.state === 'waiting') {
    return <Skeleton className={styles.blank} />;
  }
  if (answer.state === 'failed') {
    return <LoadFailure error={answer.error} again={again} />;
  }
  const { items } = answer.value;
  return (
    <>
      <p className="muted">{t(items.length > 0 ? 'kept.words' : 'kept.none')}</p>
      {items.length > 0 ? (
        <ul className={styles.sessions}>
          {items.map((kept) => (
            <KeptLine key={kept.id} kept={kept} onGone={again} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

function KeptLine({ kept, onGone }: { kept: Kept; onGone: () => void }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const value = kept.fields.map((field) => field.value).join(', ');
  const remove = async () => {
    try {
      await call(locale, 'DELETE /users/me/requisites/{id}/', { path: { id: kept.id } });
      toast(t('kept.removed'));
    } catch (error) {
      // What is gone already is gone as was wanted.
      const isGone = error instanceof ApiError && error.code === 'saved_requisites_not_found';
      toast(isGone ? t('kept.removed') : wordsFor(error, common));
    } finally {
      onGone();
    }
  };
  return (
    <li className={styles.session}>
      <div>
        <p className={styles.browser}>{kept.name}</p>
        <p className="small muted num">{value}</p>
      </div>
      <Button size="small" onClick={remove} aria-label={t('kept.remove_named', { name: kept.name, value })}>
        {t('kept.remove')}
      </Button>
    </li>
  );
}
