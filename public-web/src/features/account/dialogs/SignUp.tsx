import { useId, useState } from 'react';
import { call } from '../../../api/client';
import type { NotificationResponse } from '../../../api/types';
import { withCaptcha } from '../../../captcha/withCaptcha';
import { Button } from '../../../components/Button';
import { Modal } from '../../../components/Modal';
import { EmailField } from '../../../forms/EmailField';
import { emailCheck } from '../../../forms/emails';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { passwordCheck, passwordHint } from '../../../forms/passwords';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { Trans } from '../../../i18n/Trans';
import { useT } from '../../../i18n/texts';
import { inLocale } from '../../../paths';
import { rememberedCode } from '../../../referral/memory';
import { closeAccountDialog, openAccountDialog } from '../../../session/accountDialog';
import styles from './dialogs.module.css';
import { EmailSent } from './EmailSent';

export function SignUp({ email: known = '' }: { email?: string }) {
  const t = useT('account');
  const locale = useLocale();
  const id = useId();
  const [notification, setNotification] = useState<NotificationResponse | null>(null);
  const form = useForm({
    initial: { email: known, password: '' },
    checks: { email: emailCheck(t), password: passwordCheck(t) },
    send: async ({ email, password }) => {
      const refferal = rememberedCode();
      const body = { email: email.trim(), password, ...(refferal && { refferal }) };
      setNotification(
        await withCaptcha(locale, 'signup', (answer) =>
          call(locale, 'POST /users/signup/', { body: { ...body, ...answer } }),
        ),
      );
    },
  });
  if (notification) {
    return <EmailSent notification={notification} email={form.values.email.trim()} />;
  }
  const actions = (
    <>
      <SubmitButton form={id} busy={form.busy}>
        {t('sign_up.submit')}
      </SubmitButton>
      <Button onClick={() => openAccountDialog({ kind: 'signIn' })}>{t('sign_up.to_sign_in')}</Button>
    </>
  );
  return (
    <Modal title={t('sign_up.title')} onClose={closeAccountDialog} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{t('sign_up.text')}</p>
        <EmailField
          {...form.field('email')}
          label={t('email')}
          autoComplete="username"
          data-first={known === '' ? '' : undefined}
        />
        <PasswordField
          {...form.field('password')}
          label={t('password')}
          hint={passwordHint(t)}
          autoComplete="new-password"
          data-first={known === '' ? undefined : ''}
        />
        <p className="muted small">
          <Trans
            ns="account"
            i18nKey="sign_up.data"
            components={{
              // biome-ignore lint/a11y/useAnchorContent: the text is put into it.
              data: <a href={`${inLocale('/rules', '', locale)}#personal-data`} target="_blank" rel="noreferrer" />,
            }}
          />
        </p>
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}
