import { useId, useRef, useState } from 'react';
import { call } from '../../../api/client';
import type { Customer, Referral, ReferralCurrency } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Field } from '../../../components/Field';
import { useMoney } from '../../../components/money';
import { toast } from '../../../components/toasts';
import { Failure } from '../../../forms/Failure';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { newKey } from '../../../newKey';
import { Proof, proofOf } from '../Proof';
import styles from './referrer.module.css';

interface FormProps {
  customer: Customer;
  referral: Referral;
  onDone: () => void;
  onCancel: () => void;
}

export function WithdrawForm(props: FormProps) {
  const t = useT('account');
  const { currencies } = props.referral;
  const [chosen, setChosen] = useState(currencies[0]?.id);
  const name = useId();
  const currency = currencies.find(({ id }) => id === chosen);
  if (!currency) return null;
  return (
    <div className={styles.withdraw}>
      {currencies.length > 1 ? (
        <fieldset className={styles.networks}>
          <legend>{t('referrer.network')}</legend>
          {currencies.map(({ id, name: title, network }) => (
            <label key={id}>
              <input type="radio" name={name} checked={id === chosen} onChange={() => setChosen(id)} />
              <span>{network && !title.includes(network) ? `${title}, ${network}` : title}</span>
            </label>
          ))}
        </fieldset>
      ) : null}
      <Details key={currency.id} {...props} currency={currency} />
    </div>
  );
}

/** The field's name in the server's errors. */
const fieldOf = (name: string) => `requisites.${name}`;

/** A decimal as typed: with a decimal comma, with spaces between thousands. */
const decimal = (typed: string) => typed.replace(/\s/g, '').replace(',', '.');

function Details({ customer, referral, currency, onDone, onCancel }: FormProps & { currency: ReferralCurrency }) {
  const t = useT('account');
  const locale = useLocale();
  const money = useMoney();
  const initial: Record<string, string> = { amount: referral.balance.replace('.', locale === 'en' ? '.' : ',') };
  for (const { name } of currency.input) {
    initial[fieldOf(name)] = '';
  }
  Object.assign(initial, { password: '', code: '' });
  // A repeated request makes one withdrawal; another amount or address is another request.
  const attempt = useRef({ meaning: '', key: '' });
  const form = useForm<string>({
    initial,
    optional: [
      ...currency.input.filter(({ required }) => !required).map(({ name }) => fieldOf(name)),
      ...(customer.totp ? [] : ['code']),
    ],
    checks: {
      amount: (typed) => (/^\d+([.,]\d+)?$/.test(typed.replace(/\s/g, '')) ? null : t('referrer.amount_wrong')),
    },
    send: async (values) => {
      const typed = currency.input.map(({ name }) => [name, (values[fieldOf(name)] ?? '').trim()] as const);
      const requisites = Object.fromEntries(typed.filter(([, value]) => value));
      const request = { amount: decimal(values.amount ?? ''), currencyId: currency.id, requisites };
      const meaning = JSON.stringify(request);
      if (attempt.current.meaning !== meaning) {
        attempt.current = { meaning, key: newKey() };
      }
      const body = { ...request, ...proofOf({ password: values.password ?? '', code: values.code ?? '' }) };
      await call(locale, 'POST /users/me/refferal/withdrawal/', { body, idempotencyKey: attempt.current.key });
      toast(t('referrer.requested'));
      onDone();
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <Field
        {...form.field('amount')}
        label={t('referrer.amount')}
        inputMode="decimal"
        autoComplete="off"
        hint={t('referrer.amount_hint', {
          balance: money(referral.balance, referral.currency),
          minimum: money(referral.minimum, referral.currency),
        })}
      />
      {currency.input.map(({ name, label, required, hint }) => (
        <Field
          key={name}
          {...form.field(fieldOf(name))}
          label={label}
          help={hint}
          hint={required ? null : t('referrer.optional')}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
      <Proof form={form} customer={customer} />
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{t('referrer.withdraw')}</SubmitButton>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}
