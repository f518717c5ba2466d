import { ApiError } from '@agio/client/problem';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../../api/client';
import type { NotificationResponse } from '../../api/types';
import { withCaptcha } from '../../captcha/withCaptcha';
import { Button } from '../../components/Button';
import { Field } from '../../components/Field';
import { Rosette } from '../../components/Guilloche';
import { Head } from '../../components/Head';
import { Layout } from '../../components/Layout';
import { Notice } from '../../components/Notice';
import { Skeleton } from '../../components/Skeleton';
import { toast } from '../../components/toasts';
import { Failure } from '../../forms/Failure';
import { PasswordField } from '../../forms/PasswordField';
import { passwordCheck, passwordHint } from '../../forms/passwords';
import { SubmitButton } from '../../forms/SubmitButton';
import { useForm } from '../../forms/useForm';
import { useLocale } from '../../i18n/locale';
import { useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import type { AccountDialogState } from '../../session/accountDialog';
import { useGuestsOnly } from '../../session/guards';
import { useSite } from '../../site';
import styles from './RecoverPage.module.css';

type Step =
  | { kind: 'ask'; isOld?: boolean }
  | { kind: 'set'; token: string }
  | { kind: 'sent' | 'done'; notification: NotificationResponse };

/** Recovers an account: a link by email, and a new password by the link. */
export function Component() {
  const t = useT('account');
  const { siteName } = useSite();
  const [step, setStep] = useStep();
  const isGuest = useGuestsOnly(() => {
    if (step?.kind === 'set') toast(t('recover.signed_in'), { lasting: true });
  });
  return (
    <Layout>
      <Head title={`${t('recover.title')} | ${siteName}`} />
      <div className={`wrap ${styles.page}`}>
        <Rosette from={{ code: 'RECOVER' }} to={{ code: 'AGIO' }} className={styles.print} />
        <h1>{step?.kind === 'set' ? t('recover.set_title') : t('recover.title')}</h1>
        {isGuest && step ? <StepScreen step={step} onStep={setStep} /> : <Skeleton className={styles.blank} />}
      </div>
    </Layout>
  );
}

/** The step of the address. The token is a secret: it is removed from the address. */
function useStep(): [Step | null, (step: Step) => void] {
  const { hash } = useLocation();
  const [step, setStep] = useState<Step | null>(null);
  useEffect(() => {
    const token = /^#token=(.+)/.exec(hash)?.[1];
    if (token) {
      window.history.replaceState(window.history.state, '', window.location.pathname);
    }
    setStep(token ? { kind: 'set', token } : { kind: 'ask' });
  }, [hash]);
  return [step, setStep];
}

function StepScreen({ step, onStep }: { step: Step; onStep: (step: Step) => void }) {
  const t = useT('account');
  switch (step.kind) {
    case 'ask':
      return (
        <RequestLink onNotification={(notification) => onStep({ kind: 'sent', notification })}>
          {step.isOld ? <Notice tone="danger">{t('recover.old')}</Notice> : null}
        </RequestLink>
      );
    case 'set':
      return (
        <SetPassword
          token={step.token}
          onNotification={(notification) => onStep({ kind: 'done', notification })}
          onOld={() => onStep({ kind: 'ask', isOld: true })}
        />
      );
    case 'sent':
      return (
        <div className={styles.form} role="status">
          <p>{step.notification.notification.message}</p>
          <p className="muted">{t('sent.hint')}</p>
          <Button onClick={() => onStep({ kind: 'ask' })}>{t('recover.another')}</Button>
        </div>
      );
    case 'done':
      return <Done notification={step.notification} />;
  }
}

function RequestLink({
  onNotification,
  children,
}: {
  onNotification: (notification: NotificationResponse) => void;
  children: ReactNode;
}) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { email: '' },
    send: async (values) => {
      const email = values.email.trim();
      onNotification(
        await withCaptcha(locale, 'restore', (answer) =>
          call(locale, 'POST /users/restore/', { body: { email, ...answer } }),
        ),
      );
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      {children}
      <p>{t('recover.text')}</p>
      <Field
        {...form.field('email')}
        label={t('email')}
        type="email"
        inputMode="email"
        autoComplete="username"
        aria-required="true"
      />
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t('recover.submit')}</SubmitButton>
    </form>
  );
}

interface SetPasswordProps {
  token: string;
  onNotification: (notification: NotificationResponse) => void;
  /** The link has expired. */
  onOld: () => void;
}

function SetPassword({ token, onNotification, onOld }: SetPasswordProps) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { password: '' },
    checks: { password: passwordCheck(t) },
    send: async (body) => {
      try {
        onNotification(await call(locale, 'POST /users/restore/{token}/', { path: { token }, body }));
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'link_not_valid')) throw error;
        onOld();
      }
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <p>{t('recover.set_text')}</p>
      <PasswordField
        {...form.field('password')}
        label={t('password.new')}
        hint={passwordHint(t)}
        autoComplete="new-password"
      />
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t('recover.set')}</SubmitButton>
    </form>
  );
}

function Done({ notification }: { notification: NotificationResponse }) {
  const t = useT('account');
  const paths = usePaths();
  const navigate = useNavigate();
  const goOn = () => {
    const state: AccountDialogState = { dialog: { kind: 'signIn', back: paths.account() } };
    navigate(paths.home(), { state });
  };
  return (
    <div className={styles.form} role="status">
      <p>{notification.notification.message}</p>
      <Button look="main" onClick={goOn}>
        {t('sign_in.submit')}
      </Button>
    </div>
  );
}
