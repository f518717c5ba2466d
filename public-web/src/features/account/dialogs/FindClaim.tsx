import { useId, useState } from 'react';
import { call } from '../../../api/client';
import { withCaptcha } from '../../../captcha/withCaptcha';
import { EmailsOff } from '../../../components/EmailsOff';
import { Field } from '../../../components/Field';
import { Modal } from '../../../components/Modal';
import { EmailField } from '../../../forms/EmailField';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { closeAccountDialog } from '../../../session/accountDialog';
import { useSession } from '../../../session/session';
import { useSendsEmails } from '../../../site';
import styles from './dialogs.module.css';

/** Requests an email with links to the claims made with an address. */
export function FindClaim() {
  const t = useT('account');
  const locale = useLocale();
  const session = useSession();
  const id = useId();
  const isSent = useSendsEmails();
  const [notification, setNotification] = useState<{ title: string; message: string } | null>(null);
  const form = useForm({
    initial: { email: session.phase === 'customer' ? session.customer.email : '', number: '' },
    optional: ['number'],
    checks: { number: (typed) => (typed === '' || numberOf(typed) !== null ? null : t('find.number_wrong')) },
    send: async (values) => {
      const email = values.email.trim();
      const number = numberOf(values.number);
      setNotification(
        await withCaptcha(locale, 'findclaim', (answer) =>
          call(locale, 'POST /claim/find/', { body: { email, ...(number !== null && { number }), ...answer } }),
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
  if (!isSent) {
    return (
      <Modal title={t('find.title')} onClose={closeAccountDialog}>
        <EmailsOff />
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
        <EmailField {...form.field('email')} label={t('email')} data-first="" />
        <Field
          {...form.field('number')}
          label={t('find.number')}
          hint={t('find.number_hint')}
          inputMode="numeric"
          autoComplete="off"
        />
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}

/** The number of a claim as people write it: `100 007`, `№ 100007`. Null for anything else. */
function numberOf(typed: string): number | null {
  const digits = typed.replace(/[№#\s]/g, '');
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null;
}
