import { useState } from 'react';
import { api, fieldsOf, useAction, useSession } from '../api/index.ts';
import { Button, Field, Refusal, useTexts } from '../ui/index.ts';
import css from './Security.module.css';

export function PasswordForm() {
  const { t } = useTexts();
  const user = useSession();
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useAction({
    run: () => api.POST('/me/password', { body: { oldPassword, newPassword } }),
    done: t('security.changed'),
    stale: ['/me/sessions'],
    onDone: () => {
      setOld('');
      setNew('');
    },
  });
  const errors = fieldsOf(change.error);
  return (
    <section className={css.section} aria-labelledby="password">
      <h2 id="password" className={css.heading}>
        {t('fields.password')}
      </h2>
      <p className={css.muted}>{t('security.passwordText')}</p>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <input type="text" name="username" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
        <Field
          label={t('security.passwordNow')}
          type="password"
          autoComplete="current-password"
          value={oldPassword}
          error={errors.oldPassword}
          onValue={setOld}
        />
        <Field
          label={t('fields.newPassword')}
          help={t('fields.passwordHelp')}
          type="password"
          autoComplete="new-password"
          value={newPassword}
          error={errors.newPassword}
          onValue={setNew}
        />
        {!errors.oldPassword && !errors.newPassword && <Refusal error={change.error} />}
        <div className={css.buttons}>
          <Button type="submit" disabled={!oldPassword || !newPassword || change.isPending}>
            {t(change.isPending ? 'action.saving' : 'security.change')}
          </Button>
        </div>
      </form>
    </section>
  );
}
