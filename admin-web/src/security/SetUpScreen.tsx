import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLogout } from 'react-admin';
import { api } from '../api/api.ts';
import { Door } from '../signin/Door.tsx';
import css from '../signin/SignIn.module.css';
import { toTheConsole } from '../signin/Welcome.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import { SetUp } from './SetUp.tsx';

/** All there is of the console for somebody who has no second factor where one is required. */
export function SetUpScreen() {
  const { t } = useWords();
  const logout = useLogout();
  const { mutate, data, error } = useMutation({ mutationFn: () => api.beginSecondFactor() });
  useEffect(() => mutate(), [mutate]);
  return (
    <Door title={t('setup.title')} wide>
      <p className={css.text}>{t('setup.line')}</p>
      {error && <ErrorNote error={error} retry={() => mutate()} />}
      {!data && !error && <SkeletonRows rows={5} height={44} />}
      {/* The whole console opens now, so it begins anew. */}
      {data && <SetUp key={data.secret} begun={data} onDone={toTheConsole} />}
      <Button onClick={() => void logout()}>{t('layout.signOut')}</Button>
    </Door>
  );
}
