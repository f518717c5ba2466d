import { useId, useState } from 'react';
import type { Told } from '../../../api/account';
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
import styles from './dialogs.module.css';
import { Sent } from './Sent';

/** Asking for another activation link, for whoever came with one that is no longer good. */
export function Reactivation() {
  const t = useT('account');
  const locale = useLocale();
  const id = useId();
  const [told, setTold] = useState<Told | null>(null);
  const form = useForm({
    initial: { email: '' },
    send: async (values) => {
      const email = values.email.trim();
      setTold(
        await withCaptcha(locale, 'reactivate', (answer) =>
          call(locale, 'POST /users/reactivate/', { body: { email, ...answer } }),
        ),
      );
    },
  });
  if (told) {
    return <Sent told={told} email={form.values.email.trim()} />;
  }
  const actions = (
    <SubmitButton form={id} busy={form.busy}>
      {t('reactivation.submit')}
    </SubmitButton>
  );
  return (
    <Modal title={t('reactivation.title')} onClose={closeDoor} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        <p className="muted">{t('reactivation.words')}</p>
        <Field
          {...form.field('email')}
          label={t('email')}
          type="email"
          inputMode="email"
          autoComplete="username"
          aria-required="true"
          data-first=""
        />
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}
