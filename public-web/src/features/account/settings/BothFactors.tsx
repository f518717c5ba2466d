import { Button } from '../../../components/Button';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useT } from '../../../i18n/texts';
import { CodeField } from '../CodeField';
import styles from './settings.module.css';

interface BothFactorsProps {
  text: string;
  button: string;
  send: (factors: { password: string; code: string }) => Promise<void>;
  onCancel: () => void;
}

/** The password and a code, for changes of the second factor. */
export function BothFactors({ text, button, send, onCancel }: BothFactorsProps) {
  const t = useT('account');
  const form = useForm({
    initial: { password: '', code: '' },
    send: ({ password, code }) => send({ password, code: code.trim() }),
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <p>{text}</p>
      <PasswordField
        {...form.field('password')}
        label={t('password.present')}
        autoComplete="current-password"
        autoFocus
      />
      <CodeField {...form.field('code')} />
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{button}</SubmitButton>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}
