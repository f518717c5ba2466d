import { useState } from 'react';
import type { Answer } from '../../../api/calls';
import { call } from '../../../api/client';
import { Button } from '../../../components/Button';
import { CopyButton } from '../../../components/CopyButton';
import { Field } from '../../../components/Field';
import { Qr } from '../../../components/Qr';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './settings.module.css';

type Begun = Answer<'POST /users/me/totp/'>;

interface SetUpAppProps {
  email: string;
  /** Called with the recovery codes once the app is set up. */
  onDone: (codes: string[]) => Promise<void>;
  onCancel: () => void;
}

export function SetUpApp({ email, onDone, onCancel }: SetUpAppProps) {
  const [begun, setBegun] = useState<Begun | null>(null);
  return begun === null ? (
    <Begin email={email} onBegun={setBegun} onCancel={onCancel} />
  ) : (
    <Confirm begun={begun} onDone={onDone} onCancel={onCancel} />
  );
}

function Begin({ email, onBegun, onCancel }: { email: string; onBegun: (begun: Begun) => void; onCancel: () => void }) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { password: '' },
    send: async (body) => onBegun(await call(locale, 'POST /users/me/totp/', { body })),
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <p>{t('code.begin_text')}</p>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        {...form.field('password')}
        label={t('password.present')}
        autoComplete="current-password"
        autoFocus
      />
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{t('go_on')}</SubmitButton>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}

function Confirm({ begun, onDone, onCancel }: { begun: Begun } & Omit<SetUpAppProps, 'email'>) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { code: '' },
    send: async ({ code }) => {
      const answer = await call(locale, 'POST /users/me/totp/confirm/', { body: { code: code.trim() } });
      await onDone(answer.recoveryCodes);
    },
  });
  return (
    <div className={styles.app}>
      <Qr text={begun.url} label={t('code.qr')} />
      <form className={styles.steps} noValidate onSubmit={form.submit}>
        <p>{t('code.scan')}</p>
        <p className={styles.secret}>{begun.secret.replace(/.{4}(?=.)/g, '$& ')}</p>
        <div className={styles.buttons}>
          <CopyButton value={begun.secret} what={t('code.secret')} />
          <a href={begun.url}>{t('code.open_app')}</a>
        </div>
        <Field
          {...form.field('code')}
          label={t('code.first')}
          inputMode="numeric"
          autoComplete="one-time-code"
          aria-required="true"
          autoFocus
        />
        <Failure text={form.failure} />
        <div className={styles.buttons}>
          <SubmitButton busy={form.busy}>{t('code.turn_on')}</SubmitButton>
          <Button onClick={onCancel}>{t('cancel')}</Button>
        </div>
      </form>
    </div>
  );
}
