import { call } from '../../../api/client';
import { toast } from '../../../components/toasts';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { passwordCheck, passwordHint } from '../../../forms/passwords';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './settings.module.css';

/** Changing the password signs all other browsers out. */
export function PasswordChange({ email, onChanged }: { email: string; onChanged: () => void }) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { oldPassword: '', newPassword: '' },
    checks: { newPassword: passwordCheck(t) },
    send: async (body) => {
      await call(locale, 'POST /users/me/password/', { body });
      form.reset();
      toast(t('password.changed'));
      onChanged();
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      {/* Password managers read the account's name here. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField {...form.field('oldPassword')} label={t('password.present')} autoComplete="current-password" />
      <PasswordField
        {...form.field('newPassword')}
        label={t('password.new')}
        hint={passwordHint(t)}
        autoComplete="new-password"
      />
      <Failure text={form.failure} />
      <SubmitButton look="plain" busy={form.busy}>
        {t('password.change')}
      </SubmitButton>
    </form>
  );
}
