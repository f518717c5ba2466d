import { ApiError } from '@agio/client/problem';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../../api/client';
import type { NotificationResponse } from '../../api/types';
import { withCaptcha } from '../../captcha/withCaptcha';
import { Button } from '../../components/Button';
import { EmailsOff } from '../../components/EmailsOff';
import { Rosette } from '../../components/Guilloche';
import { Head } from '../../components/Head';
import { Notice } from '../../components/Notice';
import { Skeleton } from '../../components/Skeleton';
import { toast } from '../../components/toasts';
import { EmailField } from '../../forms/EmailField';
import { Failure } from '../../forms/Failure';
import { PasswordField } from '../../forms/PasswordField';
import { passwordCheck, passwordHint } from '../../forms/passwords';
import { SubmitButton } from '../../forms/SubmitButton';
import { useForm } from '../../forms/useForm';
import { useLocale } from '../../i18n/locale';
import { type Translate, useT } from '../../i18n/texts';
import { usePaths } from '../../i18n/usePaths';
import type { AccountDialogState } from '../../session/accountDialog';
import { useGuestsOnly } from '../../session/guards';
import { leave } from '../../session/tabSession';
import { useSendsEmails, useSite } from '../../site';
import styles from './RecoverPage.module.css';

type Step =
  | { kind: 'ask'; isOld?: boolean }
  /** `undo`: the link takes the account back after a change of its address. */
  | { kind: 'set'; token: string; undo: boolean }
  | { kind: 'sent' | 'done'; notification: NotificationResponse };

/** Recovers an account: a link by email, and a new password by the link. */
export function Component() {
  const t = useT('account');
  const { siteName } = useSite();
  const [step, setStep] = useStep();
  const isUndo = step?.kind === 'set' ? step.undo : step?.kind === 'done';
  const isShown = useGuestsOnly(() => {
    if (step?.kind === 'set') toast(t('recover.signed_in'), { lasting: true });
  }, isUndo);
  return (
    <>
      <Head title={`${t('recover.title')} | ${siteName}`} />
      <div className={`wrap ${styles.page}`}>
        <Rosette from={{ code: 'RECOVER' }} to={{ code: 'AGIO' }} className={styles.print} />
        <h1>{title(t, step)}</h1>
        {isShown && step ? <StepScreen step={step} onStep={setStep} /> : <Skeleton isOpen className={styles.blank} />}
      </div>
    </>
  );
}

function title(t: Translate<'account'>, step: Step | null): string {
  if (step?.kind === 'set' && step.undo) return t('recover.undo_title');
  return step?.kind === 'set' ? t('recover.set_title') : t('recover.title');
}

/** The step of the address. The token is a secret: it is removed from the address. */
function useStep(): [Step | null, (step: Step) => void] {
  const { hash } = useLocation();
  const [step, setStep] = useState<Step | null>(null);
  useEffect(() => {
    const [, name, token] = /^#(token|undo)=(.+)/.exec(hash) ?? [];
    if (token) {
      window.history.replaceState(window.history.state, '', window.location.pathname);
    }
    setStep(token ? { kind: 'set', token, undo: name === 'undo' } : { kind: 'ask' });
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
          undo={step.undo}
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
  const isSent = useSendsEmails();
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
  if (!isSent) {
    return (
      <div className={styles.form}>
        {children}
        <EmailsOff />
      </div>
    );
  }
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      {children}
      <p>{t('recover.text')}</p>
      <EmailField {...form.field('email')} label={t('email')} autoComplete="username" />
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t('recover.submit')}</SubmitButton>
    </form>
  );
}

interface SetPasswordProps {
  token: string;
  undo: boolean;
  onNotification: (notification: NotificationResponse) => void;
  /** The link has expired. */
  onOld: () => void;
}

function SetPassword({ token, undo, onNotification, onOld }: SetPasswordProps) {
  const t = useT('account');
  const locale = useLocale();
  const form = useForm({
    initial: { password: '' },
    checks: { password: passwordCheck(t) },
    send: async (body) => {
      try {
        const answer = undo
          ? call(locale, 'POST /users/email/{token}/undo/', { path: { token }, body })
          : call(locale, 'POST /users/restore/{token}/', { path: { token }, body });
        onNotification(await answer);
        // The session of this browser has ended with the others.
        leave();
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'link_not_valid')) throw error;
        onOld();
      }
    },
  });
  return (
    <form className={styles.form} noValidate onSubmit={form.submit}>
      <p>{t(undo ? 'recover.undo_text' : 'recover.set_text')}</p>
      <PasswordField
        {...form.field('password')}
        label={t('password.new')}
        hint={passwordHint(t)}
        autoComplete="new-password"
      />
      <Failure text={form.failure} />
      <SubmitButton busy={form.busy}>{t(undo ? 'recover.undo' : 'recover.set')}</SubmitButton>
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
