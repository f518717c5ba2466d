import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLogout } from 'react-admin';
import { api } from '../api/index.ts';
import css from '../signin/SignIn.module.css';
import { SignInCard } from '../signin/SignInCard.tsx';
import { toTheConsole } from '../signin/Welcome.tsx';
import { Button, ErrorNote, SkeletonRows, useTexts } from '../ui/index.ts';
import { SetUp } from './SetUp.tsx';

/** The whole console for a staff member without a required second factor. */
export function SetUpScreen() {
  const { t } = useTexts();
  const logout = useLogout();
  const {
    mutate,
    data: begun,
    error,
  } = useMutation({ mutationFn: async () => (await api.POST('/me/second-factor', { body: {} })).data });
  useEffect(() => mutate(), [mutate]);
  return (
    <SignInCard title={t('setup.title')} wide>
      <p className={css.text}>{t('setup.line')}</p>
      {error && <ErrorNote error={error} retry={() => mutate()} />}
      {!begun && !error && <SkeletonRows rows={5} height={44} />}
      {/* The console loads anew with its full rights. */}
      {begun && <SetUp key={begun.secret} begun={begun} onDone={toTheConsole} />}
      <Button onClick={() => void logout()}>{t('layout.signOut')}</Button>
    </SignInCard>
  );
}
