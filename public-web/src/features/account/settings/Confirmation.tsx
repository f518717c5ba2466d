import type { ReactNode } from 'react';
import { Button } from '../../../components/Button';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useT } from '../../../i18n/texts';
import { CodeField } from '../CodeField';
import styles from './settings.module.css';

export interface Confirmed {
  password: string;
  code?: string;
}

interface ConfirmationProps {
  /** Whether the account has a second factor. */
  withCode: boolean;
  button: string;
  send: (confirmed: Confirmed) => Promise<void>;
  onCancel: () => void;
  children: ReactNode;
}

/** The password, and a code if the account has a second factor: a session alone is not enough. */
export function Confirmation({ withCode, button, send, onCancel, children }: ConfirmationProps) {
  const t = useT('account');
  const form = useForm({
    initial: { password: '', code: '' },
    optional: withCode ? [] : ['code'],
    send: ({ password, code }) => send(withCode ? { password, code: code.trim() } : { password }),
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      {children}
      <PasswordField
        {...form.field('password')}
        label={t('password.present')}
        autoComplete="current-password"
        autoFocus
      />
      {withCode ? <CodeField {...form.field('code')} /> : null}
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{button}</SubmitButton>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}
