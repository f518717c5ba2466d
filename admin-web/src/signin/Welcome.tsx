import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, fieldsOf, isProblem, session } from '../api/index.ts';
import { Button, ErrorNote, Field, Refusal, SkeletonRows, useTexts } from '../ui/index.ts';
import { useLinkToken } from './linkToken.ts';
import css from './SignIn.module.css';
import { SignInCard } from './SignInCard.tsx';

/** Loads the console anew: a new session starts without cached data of another account. */
export const toTheConsole = () => window.location.replace(import.meta.env.BASE_URL);

/** Accepts an invitation: name, password, and in. */
export function Welcome() {
  const { t } = useTexts();
  const token = useLinkToken();
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await api.POST('/auth/invitation', { body: { token } })).data,
    // A link that was valid when it was opened is not checked again while a name is typed.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (isProblem(error) && error.status === 404) return <LinkExpired />;
  return (
    <SignInCard title={t('welcome.title')}>
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={4} height={44} />}
      {data && <JoinForm token={token} email={data.email} role={data.role} />}
    </SignInCard>
  );
}

function JoinForm({ token, email, role }: { token: string; email: string; role: string }) {
  const { t } = useTexts();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const join = useMutation({
    mutationFn: () => api.POST('/auth/invitation/accept', { body: { token, name: name.trim(), password } }),
    onSuccess: ({ data }) => {
      if (data) session.enter(data);
      toTheConsole();
    },
  });
  const errors = fieldsOf(join.error);
  if (isProblem(join.error) && join.error.status === 404) return <p className={css.text}>{t('welcome.goneText')}</p>;
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        join.mutate();
      }}
    >
      <p className={css.text}>{t('welcome.line', { role: t(`roles.${role}`).toLowerCase() })}</p>
      <Field
        label={t('welcome.email')}
        name="email"
        autoComplete="username"
        value={email}
        readOnly
        onValue={() => undefined}
      />
      <Field
        label={t('welcome.name')}
        help={t('welcome.nameHelp')}
        name="name"
        autoComplete="name"
        required
        autoFocus
        value={name}
        error={errors.name}
        onValue={setName}
      />
      <Field
        label={t('fields.password')}
        help={t('fields.passwordHelp')}
        type="password"
        name="password"
        autoComplete="new-password"
        required
        value={password}
        error={errors.password}
        onValue={setPassword}
      />
      {!errors.name && !errors.password && <Refusal error={join.error} />}
      <Button type="submit" variant="contained" size="large" fullWidth disabled={join.isPending || join.isSuccess}>
        {t(join.isPending ? 'welcome.busy' : 'welcome.submit')}
      </Button>
    </form>
  );
}

/** A link that is no longer good, and what to do then. */
export function LinkExpired() {
  const { t } = useTexts();
  return (
    <SignInCard title={t('welcome.gone')}>
      <p className={css.text}>{t('welcome.goneText')}</p>
      <Button size="large" fullWidth onClick={toTheConsole}>
        {t('welcome.toSignIn')}
      </Button>
    </SignInCard>
  );
}
