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
import { closeDoor } from '../../../session/door';
import { useSession } from '../../../session/session';
import styles from './dialogs.module.css';

/** Asking for a letter with links to the claims that were made with an address. */
export function FindClaim() {
  const t = useT('account');
  const locale = useLocale();
  const session = useSession();
  const id = useId();
  const [told, setTold] = useState<{ title: string; message: string } | null>(null);
  const form = useForm({
    initial: { email: session.phase === 'customer' ? session.customer.email : '' },
    send: async (values) => {
      const email = values.email.trim();
      setTold(
        await withCaptcha(locale, 'findclaim', (answer) =>
          call(locale, 'POST /claim/find/', { body: { email, ...answer } }),
        ),
      );
    },
  });
  if (told) {
    return (
      <Modal title={told.title} onClose={closeDoor}>
        <p role="status">{told.message}</p>
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
    <Modal title={t('find.title')} onClose={closeDoor} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{t('find.words')}</p>
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
