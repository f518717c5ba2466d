import { useId, useState } from 'react';
import { call } from '../../../api/client';
import { withCaptcha } from '../../../captcha/withCaptcha';
import { Field } from '../../../components/Field';
import { Modal } from '../../../components/Modal';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { closeAccountDialog } from '../../../session/accountDialog';
import { useSession } from '../../../session/session';
import styles from './dialogs.module.css';

/** Requests an email with links to the claims made with an address. */
export function FindClaim() {
  const t = useT('account');
  const locale = useLocale();
  const session = useSession();
  const id = useId();
  const [notification, setNotification] = useState<{ title: string; message: string } | null>(null);
  const form = useForm({
    initial: { email: session.phase === 'customer' ? session.customer.email : '' },
    send: async (values) => {
      const email = values.email.trim();
      setNotification(
        await withCaptcha(locale, 'findclaim', (answer) =>
          call(locale, 'POST /claim/find/', { body: { email, ...answer } }),
        ),
      );
    },
  });
  if (notification) {
    return (
      <Modal title={notification.title} onClose={closeAccountDialog}>
        <p role="status">{notification.message}</p>
        <p className={styles.address}>{form.values.email.trim()}</p>
        <p className="muted">{t('sent.hint')}</p>
      </Modal>
    );
  }
  const actions = (
    <SubmitButton form={id} busy={form.busy}>
      {t('find.submit')}
    </SubmitButton>
  );
  return (
    <Modal title={t('find.title')} onClose={closeAccountDialog} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{t('find.text')}</p>
        <Field
          {...form.field('email')}
          label={t('email')}
          type="email"
          inputMode="email"
          autoComplete="email"
          aria-required="true"
          data-first=""
        />
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}
