import { useRef, useState } from 'react';
import { call } from '../../api/client';
import { answerTo } from '../../captcha/captcha';
import { Button } from '../../components/Button';
import { Field, TextArea } from '../../components/Field';
import { EmailField } from '../../forms/EmailField';
import { Failure } from '../../forms/Failure';
import { SubmitButton } from '../../forms/SubmitButton';
import { useForm } from '../../forms/useForm';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import { newKey } from '../../newKey';
import styles from './contact.module.css';

const MESSAGE_MAX = 4000;

export function ContactForm() {
  const t = useT('info');
  const locale = useLocale();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const key = useRef({ of: '', value: '' });
  const form = useForm({
    initial: { name: '', email: '', message: '' },
    optional: ['name'],
    send: async ({ name, email, message }) => {
      const check = await call(locale, 'GET /contact/captcha/', {});
      const recaptcha = (await answerTo(locale, check)) ?? '';
      const draft = { email: email.trim(), message, ...(name.trim() && { name: name.trim() }) };
      // The same message submitted again after a lost answer keeps its key.
      const content = JSON.stringify(draft);
      if (key.current.of !== content) {
        key.current = { of: content, value: newKey() };
      }
      await call(locale, 'POST /contact/', {
        body: { ...draft, recaptcha },
        idempotencyKey: key.current.value,
      });
      setSentTo(draft.email);
    },
  });
  if (sentTo !== null) {
    return (
      <div className={styles.form} role="status">
        <h2>{t('sent')}</h2>
        <p>{t('sent_text', { email: sentTo })}</p>
        <Button
          onClick={() => {
            form.reset();
            setSentTo(null);
          }}
        >
          {t('another')}
        </Button>
      </div>
    );
  }
  return (
    <form className={styles.form} noValidate onSubmit={form.submit} aria-labelledby="contact-form">
      <h2 id="contact-form">{t('write')}</h2>
      <Field {...form.field('name')} label={t('name')} autoComplete="name" maxLength={80} />
      <EmailField {...form.field('email')} label={t('email')} />
      <TextArea
        {...form.field('message')}
        label={t('message')}
        hint={t('message_hint')}
        rows={6}
        maxLength={MESSAGE_MAX}
        aria-required="true"
      />
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t('send')}</SubmitButton>
    </form>
  );
}
