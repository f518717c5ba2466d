import { useState } from 'react';
import { useLogin } from 'react-admin';
import { isProblem, useSessionEnd } from '../api/index.ts';
import { Button, Field, Refusal, useTexts } from '../ui/index.ts';
import { CodeField } from './CodeField.tsx';
import css from './SignIn.module.css';
import { SignInCard } from './SignInCard.tsx';

/** E-mail and password, and then, where the account has one, the second factor. */
export function SignIn() {
  const { t } = useTexts();
  const login = useLogin();
  const hasEnded = useSessionEnd();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      await login({ email: email.trim(), password, otp: needsCode ? otp.trim() : undefined });
    } catch (refusal) {
      const isCodeNeeded = isProblem(refusal) && refusal.code === 'otp_required';
      if (isCodeNeeded) setNeedsCode(true);
      if (!isCodeNeeded || needsCode) setError(refusal);
      setBusy(false);
    }
  };

  const back = () => {
    setNeedsCode(false);
    setPassword('');
    setOtp('');
    setError(null);
  };

  if (needsCode) {
    return (
      <SignInCard key="code" title={t('code.title')} onSubmit={submit}>
        <p className={css.text}>{t('code.text')}</p>
        <CodeField value={otp} onValue={setOtp} />
        <Refusal error={error} />
        <Button type="submit" variant="contained" size="large" fullWidth disabled={busy || otp.trim() === ''}>
          {t(busy ? 'signin.busy' : 'signin.submit')}
        </Button>
        <button type="button" className={css.link} onClick={back}>
          {t('code.back')}
        </button>
      </SignInCard>
    );
  }
  return (
    <SignInCard key="password" title={t('signin.title')} onSubmit={submit}>
      {hasEnded && (
        <p className={css.text} role="status">
          {t('signin.ended')}
        </p>
      )}
      <Field
        label={t('fields.email')}
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onValue={setEmail}
      />
      <Field
        label={t('fields.password')}
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
    </SignInCard>
  );
}
