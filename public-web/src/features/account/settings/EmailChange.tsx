import { ApiError } from '@agio/client/problem';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { Customer, NotificationResponse } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { EmailsOff } from '../../../components/EmailsOff';
import { Notice } from '../../../components/Notice';
import { EmailField } from '../../../forms/EmailField';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { renewCustomer } from '../../../session/tabSession';
import { useSendsEmails } from '../../../site';
import { CodeField } from '../CodeField';
import { SendAgain } from '../SendAgain';
import styles from './settings.module.css';

/** A link works once, so each is used once, however often the page renders. */
const used = new Map<string, Promise<NotificationResponse>>();

function confirm(locale: Locale, token: string): Promise<NotificationResponse> {
  const known = used.get(token);
  if (known) return known;
  const notification = call(locale, 'POST /users/me/email/{token}/', { path: { token } });
  used.set(token, notification);
  // Without an answer it is unknown whether the link was used: it may be tried again.
  notification.catch((error) => error instanceof ApiError || used.delete(token));
  return notification;
}

/** The address of the account. It changes by the link sent to the new one. */
export function EmailChange({ customer, onChanged }: { customer: Customer; onChanged: () => void }) {
  const t = useT('account');
  const token = useToken();
  const isSent = useSendsEmails();
  const [step, setStep] = useState<'show' | 'ask'>('show');
  const [sent, setSent] = useState<string | null>(null);
  const changed = useCallback(() => {
    setSent(null);
    onChanged();
  }, [onChanged]);
  if (step === 'ask') {
    return (
      <RequestChange
        withCode={customer.totp}
        onCancel={() => setStep('show')}
        onSent={(message) => {
          setSent(message);
          setStep('show');
        }}
      />
    );
  }
  return (
    <>
      {token === null ? null : <UsedLink token={token} onChanged={changed} />}
      <p className={styles.browser}>{customer.email}</p>
      <div role="status">{sent === null ? null : <Notice tone="calm">{sent}</Notice>}</div>
      {isSent ? null : <EmailsOff />}
      {isSent && customer.activated ? <Button onClick={() => setStep('ask')}>{t('email_change.change')}</Button> : null}
      {customer.activated ? null : <p className="muted">{t('email_change.not_activated')}</p>}
      {isSent && !customer.activated ? <SendAgain /> : null}
    </>
  );
}

/** The token of the link that opened the page. It is a secret: it is removed from the address. */
function useToken(): string | null {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState<string | null>(null);
  useEffect(() => {
    const found = /^#email=(.+)/.exec(hash)?.[1];
    if (found) {
      setToken(found);
      navigate(`${pathname}#email`, { replace: true });
    }
  }, [hash, pathname, navigate]);
  return token;
}

function UsedLink({ token, onChanged }: { token: string; onChanged: () => void }) {
  const common = useT('common');
  const locale = useLocale();
  const [answer, again] = useAnswer(useCallback(() => confirm(locale, token), [locale, token]));
  const isDone = answer.state === 'ready';
  useEffect(() => {
    if (isDone) {
      renewCustomer(locale).catch(console.error);
      onChanged();
    }
  }, [isDone, locale, onChanged]);
  switch (answer.state) {
    case 'loading':
      return null;
    case 'ready':
      return (
        <div role="status">
          <Notice tone="positive">{answer.value.notification.message}</Notice>
        </div>
      );
    case 'failed':
      return (
        <>
          <Notice tone="danger" live>
            {errorText(answer.error, common)}
          </Notice>
          {answer.error instanceof ApiError ? null : <Button onClick={again}>{common('try_again')}</Button>}
        </>
      );
  }
}

interface RequestChangeProps {
  withCode: boolean;
  onCancel: () => void;
  onSent: (message: string) => void;
}

function RequestChange({ withCode, onCancel, onSent }: RequestChangeProps) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { email: '', password: '', code: '' },
    optional: withCode ? [] : ['code'],
    send: async ({ email, password, code }) => {
      const body = { email: email.trim(), password, ...(withCode && { code: code.trim() }) };
      const { notification } = await call(locale, 'POST /users/me/email/', { body });
      onSent(notification.message);
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <p>{t('email_change.text')}</p>
      <EmailField {...form.field('email')} label={t('email_change.new')} autoFocus />
      <PasswordField {...form.field('password')} label={t('password.present')} autoComplete="current-password" />
      {withCode ? <CodeField {...form.field('code')} /> : null}
      <Failure text={form.failure} />
      <div className={styles.buttons}>
        <SubmitButton busy={form.busy}>{t('email_change.send')}</SubmitButton>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}
