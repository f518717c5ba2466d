import { call } from '../../../api/client';
import type { PartnerAccess } from '../../../api/types';
import { Field } from '../../../components/Field';
import { toast } from '../../../components/toasts';
import { EmailField } from '../../../forms/EmailField';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './partner.module.css';

interface ApplicationProps {
  email: string;
  /** The previous application. */
  known?: PartnerAccess;
  onRequested: () => void;
}

export function Application({ email, known, onRequested }: ApplicationProps) {
  const t = useT('partner');
  const locale = useLocale();
  const form = useForm({
    initial: {
      name: known?.name ?? '',
      site: known?.site ?? 'https://',
      email,
      callbackUrl: known?.callbackUrl ?? '',
    },
    optional: ['callbackUrl'],
    send: async (values) => {
      const body = {
        name: values.name.trim(),
        site: values.site.trim(),
        email: values.email.trim(),
        callbackUrl: values.callbackUrl.trim(),
      };
      await call(locale, 'POST /users/me/partner/', { body });
      toast(t('requested'));
      onRequested();
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <Field {...form.field('name')} label={t('name')} autoComplete="organization" maxLength={80} />
      <Field
        {...form.field('site')}
        label={t('site')}
        type="url"
        inputMode="url"
        autoComplete="url"
        spellCheck={false}
      />
      <EmailField {...form.field('email')} label={t('email')} hint={t('email_hint')} />
      <Field
        {...form.field('callbackUrl')}
        label={t('callback')}
        hint={t('callback_hint')}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t('request')}</SubmitButton>
    </form>
  );
}
