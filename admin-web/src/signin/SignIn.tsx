import Button from '@mui/material/Button';
import { type FormEvent, useState } from 'react';
import { useLogin } from 'react-admin';
import { LanguageSwitch } from '../layout/LanguageSwitch.tsx';
import { Mark } from '../layout/Mark.tsx';
import { useSchemeOfPage } from '../theme/scheme.ts';
import { Field } from '../ui/Field.tsx';
import { useTitle } from '../ui/Page.tsx';
import { Rosette } from '../ui/Rosette.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './SignIn.module.css';

export function SignIn() {
  const { t } = useWords();
  const login = useLogin();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useSchemeOfPage();
  useTitle(t('signin.title'));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await login({ email: email.trim(), password });
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };

  return (
    <main className={css.page}>
      <Rosette className={css.rosette} />
      <form className={css.card} onSubmit={submit}>
        <div className={css.head}>
          <Mark />
          <strong className={css.brand}>Agio</strong>
          <LanguageSwitch />
        </div>
        <h1 className={css.title}>{t('signin.title')}</h1>
        <Field
          label={t('signin.email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onValue={setEmail}
        />
        <Field
          label={t('signin.password')}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onValue={setPassword}
        />
        <Refusal error={error} />
        <Button type="submit" variant="contained" size="large" fullWidth disabled={busy}>
          {t(busy ? 'signin.busy' : 'signin.submit')}
        </Button>
        <p className={css.help}>{t('signin.help')}</p>
      </form>
    </main>
  );
}
