import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, fieldsOf, isProblem } from '../api/index.ts';
import { Button, Field, Refusal, useTexts } from '../ui/index.ts';
import { useLinkToken } from './linkToken.ts';
import css from './SignIn.module.css';
import { SignInCard } from './SignInCard.tsx';
import { LinkExpired, toTheConsole } from './Welcome.tsx';

/** Sets a new password by an emailed link. It does not sign in. */
export function Restore() {
  const { t } = useTexts();
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const set = useMutation({ mutationFn: () => api.POST('/auth/restore', { body: { token, password } }) });
  const errors = fieldsOf(set.error);
  if (isProblem(set.error) && set.error.status === 404) return <LinkExpired />;
  if (set.isSuccess) {
    return (
      <SignInCard key="done" title={t('restore.done')}>
        <p className={css.text}>{t('restore.doneText')}</p>
        <Button variant="contained" size="large" fullWidth onClick={toTheConsole}>
          {t('welcome.toSignIn')}
        </Button>
      </SignInCard>
    );
  }
  return (
    <SignInCard key="form" title={t('fields.newPassword')} onSubmit={() => set.mutate()}>
      <p className={css.text}>{t('restore.text')}</p>
      <Field
        label={t('fields.newPassword')}
        help={t('fields.passwordHelp')}
        type="password"
        name="password"
        autoComplete="new-password"
        required
        autoFocus
        value={password}
        error={errors.password}
        onValue={setPassword}
      />
      {!errors.password && <Refusal error={set.error} />}
      <Button type="submit" variant="contained" size="large" fullWidth disabled={set.isPending}>
        {t(set.isPending ? 'action.saving' : 'restore.submit')}
      </Button>
    </SignInCard>
  );
}
