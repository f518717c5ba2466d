import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf, isProblem } from '../api/problem.ts';
import { Field } from '../ui/Field.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { Door } from './Door.tsx';
import { useLinkToken } from './linkToken.ts';
import css from './SignIn.module.css';
import { Gone, toTheConsole } from './Welcome.tsx';

/** Where a link for a new password leads. Nobody is signed in by it. */
export function Restore() {
  const { t } = useWords();
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const set = useMutation({ mutationFn: () => api.restore(token, password) });
  const errors = fieldsOf(set.error);
  if (isProblem(set.error) && set.error.status === 404) return <Gone />;
  if (set.isSuccess) {
    return (
      <Door key="done" title={t('restore.done')}>
        <p className={css.text}>{t('restore.doneText')}</p>
        <Button variant="contained" size="large" fullWidth onClick={toTheConsole}>
          {t('welcome.toSignIn')}
        </Button>
      </Door>
    );
  }
  return (
    <Door key="form" title={t('restore.title')} onSubmit={() => set.mutate()}>
      <p className={css.text}>{t('restore.text')}</p>
      <Field
        label={t('restore.password')}
        help={t('welcome.passwordHelp')}
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
        {t(set.isPending ? 'restore.busy' : 'restore.submit')}
      </Button>
    </Door>
  );
}
