import { useState } from 'react';
import { call } from '../../../api/client';
import type { Customer, PartnerAccess } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Field } from '../../../components/Field';
import { toast } from '../../../components/toasts';
import { EmailField } from '../../../forms/EmailField';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { Proof, proofOf } from '../Proof';
import styles from './partner.module.css';
import { Secret } from './Secret';

interface ContactProps {
  customer: Customer;
  access: PartnerAccess;
  again: () => void;
}

/** The developers' email address, the webhook address and its secret. */
export function Contact({ customer, access, again }: ContactProps) {
  const t = useT('partner');
  const [doing, setDoing] = useState<'nothing' | 'change' | 'secret'>('nothing');
  const [secret, setSecret] = useState<string | null>(null);
  const cancel = () => setDoing('nothing');
  if (secret !== null) {
    return <Secret text={t('webhook_secret_text')} secret={secret} onSaved={() => setSecret(null)} />;
  }
  if (doing === 'change') {
    const done = () => {
      cancel();
      again();
    };
    return <Change customer={customer} access={access} onDone={done} onCancel={cancel} />;
  }
  if (doing === 'secret') {
    const created = (shown: string) => {
      cancel();
      setSecret(shown);
    };
    return <NewSecret customer={customer} onCreated={created} onCancel={cancel} />;
  }
  return (
    <>
      <dl className={styles.facts}>
        <dt>{t('email')}</dt>
        <dd>{access.email}</dd>
        <dt>{t('callback')}</dt>
        <dd>{access.callbackUrl || t('no_callback')}</dd>
      </dl>
      <div className={styles.buttons}>
        <Button onClick={() => setDoing('change')}>{t('change')}</Button>
        <Button onClick={() => setDoing('secret')}>{t('new_secret')}</Button>
      </div>
    </>
  );
}

function Change({
  customer,
  access,
  onDone,
  onCancel,
}: Omit<ContactProps, 'again'> & { onDone: () => void; onCancel: () => void }) {
  const t = useT('partner');
  const account = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { email: access.email, callbackUrl: access.callbackUrl, password: '', code: '' },
    optional: customer.totp ? ['callbackUrl'] : ['callbackUrl', 'code'],
    send: async (values) => {
      const body = { email: values.email.trim(), callbackUrl: values.callbackUrl.trim(), ...proofOf(values) };
      await call(locale, 'PATCH /users/me/partner/', { body });
      toast(t('changed'));
      onDone();
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <EmailField {...form.field('email')} label={t('email')} />
      <Field
        {...form.field('callbackUrl')}
        label={t('callback')}
        hint={t('callback_hint')}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      <Proof form={form} customer={customer} />
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{t('save')}</SubmitButton>
        <Button onClick={onCancel}>{account('cancel')}</Button>
      </div>
    </form>
  );
}

function NewSecret({
  customer,
  onCreated,
  onCancel,
}: {
  customer: Customer;
  onCreated: (secret: string) => void;
  onCancel: () => void;
}) {
  const t = useT('partner');
  const account = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { password: '', code: '' },
    optional: customer.totp ? [] : ['code'],
    send: async (values) => {
      const { secret } = await call(locale, 'POST /users/me/partner/secret/', { body: proofOf(values) });
      onCreated(secret);
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <p>{t('new_secret_text')}</p>
      <Proof form={form} customer={customer} />
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{t('new_secret')}</SubmitButton>
        <Button onClick={onCancel}>{account('cancel')}</Button>
      </div>
    </form>
  );
}
