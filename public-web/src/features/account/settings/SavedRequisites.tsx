import { ApiError } from '@agio/client/problem';
import { useCallback } from 'react';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { SavedRequisites as Saved } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './settings.module.css';

/** The saved requisites, masked. */
export function SavedRequisites() {
  const t = useT('account');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/requisites/', { quiet: true }), [locale]);
  const [answer, again] = useAnswer(ask);
  if (answer.state === 'loading') return <Skeleton className={styles.blank} />;
  if (answer.state === 'failed') return <LoadFailure error={answer.error} again={again} />;
  const { items } = answer.value;
  return (
    <>
      <p className="muted">{t(items.length > 0 ? 'saved.text' : 'saved.none')}</p>
      {items.length > 0 ? (
        <ul className={styles.sessions}>
          {items.map((saved) => (
            <SavedLine key={saved.id} saved={saved} onGone={again} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

function SavedLine({ saved, onGone }: { saved: Saved; onGone: () => void }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const value = saved.fields.map((field) => field.value).join(', ');
  const remove = async () => {
    try {
      await call(locale, 'DELETE /users/me/requisites/{id}/', { path: { id: saved.id } });
      toast(t('saved.removed'));
    } catch (error) {
      // Removed elsewhere meanwhile: the result is the same.
      const isGone = error instanceof ApiError && error.code === 'saved_requisites_not_found';
      toast(isGone ? t('saved.removed') : errorText(error, common));
    } finally {
      onGone();
    }
  };
  return (
    <li className={styles.session}>
      <div>
        <p className={styles.browser}>{saved.name}</p>
        <p className="small muted num">{value}</p>
      </div>
      <Button size="small" onClick={remove} aria-label={t('saved.remove_named', { name: saved.name, value })}>
        {t('saved.remove')}
      </Button>
    </li>
  );
}
