import { useId, useState } from 'react';
import { call } from '../../../api/client';
import type { NotificationResponse } from '../../../api/types';
import { withCaptcha } from '../../../captcha/withCaptcha';
import { EmailsOff } from '../../../components/EmailsOff';
import { Modal } from '../../../components/Modal';
import { EmailField } from '../../../forms/EmailField';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { closeAccountDialog } from '../../../session/accountDialog';
import { useSendsEmails } from '../../../site';
import styles from './dialogs.module.css';
import { EmailSent } from './EmailSent';

/** Requests another activation link after one has expired. */
export function Reactivation() {
  const t = useT('account');
  const locale = useLocale();
  const id = useId();
  const isSent = useSendsEmails();
  const [notification, setNotification] = useState<NotificationResponse | null>(null);
  const form = useForm({
    initial: { email: '' },
    send: async (values) => {
      const email = values.email.trim();
      setNotification(
        await withCaptcha(locale, 'reactivate', (answer) =>
          call(locale, 'POST /users/reactivate/', { body: { email, ...answer } }),
        ),
      );
    },
  });
  if (notification) {
    return <EmailSent notification={notification} email={form.values.email.trim()} />;
  }
  if (!isSent) {
    return (
      <Modal title={t('reactivation.title')} onClose={closeAccountDialog}>
        <EmailsOff />
      </Modal>
    );
  }
  const actions = (
    <SubmitButton form={id} busy={form.busy}>
      {t('reactivation.submit')}
    </SubmitButton>
  );
  return (
    <Modal title={t('reactivation.title')} onClose={closeAccountDialog} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{t('reactivation.text')}</p>
        <EmailField {...form.field('email')} label={t('email')} autoComplete="username" data-first="" />
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}
