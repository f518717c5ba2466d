import { useRef, useState } from 'react';
import { call } from '../../../api/client';
import type { Customer, PartnerKey } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Field } from '../../../components/Field';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { newKey } from '../../../newKey';
import { Proof, proofOf } from '../Proof';
import styles from './partner.module.css';
import { type KeyScope, SCOPES, USUAL_SCOPES } from './scopes';

interface KeyFormProps {
  customer: Customer;
  /** Whether live keys can be created. */
  mayBeLive: boolean;
  onCreated: (key: PartnerKey, secret: string) => void;
  onCancel: () => void;
}

/** A new key; a live one requires the password. */
export function KeyForm(props: KeyFormProps) {
  const t = useT('partner');
  const [isLive, setLive] = useState(false);
  return (
    <div className={styles.form}>
      <fieldset className={styles.choice}>
        <legend>{t('key_kind')}</legend>
        <label>
          <input type="radio" checked={!isLive} onChange={() => setLive(false)} />
          <span>{t('kind.sandbox')}</span>
        </label>
        <label>
          <input type="radio" checked={isLive} disabled={!props.mayBeLive} onChange={() => setLive(true)} />
          <span>{t(props.mayBeLive ? 'kind.live' : 'kind.live_later')}</span>
        </label>
      </fieldset>
      <Details key={String(isLive)} {...props} isLive={isLive} />
    </div>
  );
}

function Details({ customer, isLive, onCreated, onCancel }: KeyFormProps & { isLive: boolean }) {
  const t = useT('partner');
  const account = useT('account');
  const locale = useLocale();
  const [scopes, setScopes] = useState(USUAL_SCOPES);
  // A repeated request creates one key; a changed one is another request.
  const attempt = useRef({ meaning: '', key: '' });
  const form = useForm({
    initial: { title: '', networks: '', password: '', code: '' },
    optional: isLive && customer.totp ? ['networks'] : isLive ? ['networks', 'code'] : ['networks', 'password', 'code'],
    send: async (values) => {
      const networks = values.networks.split(/[\s,]+/).filter((network) => network !== '');
      const request = { title: values.title.trim(), sandbox: !isLive, scopes, networks };
      const meaning = JSON.stringify(request);
      if (attempt.current.meaning !== meaning) {
        attempt.current = { meaning, key: newKey() };
      }
      const body = isLive ? { ...request, ...proofOf(values) } : request;
      const created = await call(locale, 'POST /users/me/partner/keys/', { body, idempotencyKey: attempt.current.key });
      onCreated(created.key, created.secret);
    },
  });
  const allow = (scope: KeyScope, on: boolean) =>
    setScopes(SCOPES.filter((name) => (name === scope ? on : scopes.includes(name))));
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <Field
        {...form.field('title')}
        label={t('key_title')}
        hint={t('key_title_hint')}
        autoComplete="off"
        maxLength={80}
      />
      <fieldset className={styles.choice}>
        <legend>{t('scopes')}</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ target }) => allow(scope, target.checked)}
            />
            <span>{t(`scope.${scope}`)}</span>
          </label>
        ))}
      </fieldset>
      <Field
        {...form.field('networks')}
        label={t('networks')}
        hint={t('networks_hint')}
        autoComplete="off"
        spellCheck={false}
      />
      {isLive ? <Proof form={form} customer={customer} /> : null}
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{t('make_key')}</SubmitButton>
        <Button onClick={onCancel}>{account('cancel')}</Button>
      </div>
    </form>
  );
}
