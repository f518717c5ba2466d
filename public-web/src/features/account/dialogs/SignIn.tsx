import { useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { withCaptcha } from '../../../captcha/withCaptcha';
import { Button } from '../../../components/Button';
import { Link } from '../../../components/Link';
import { Modal } from '../../../components/Modal';
import { Notice } from '../../../components/Notice';
import { announce } from '../../../components/toasts';
import { EmailField } from '../../../forms/EmailField';
import { Failure } from '../../../forms/Failure';
import { PasswordField } from '../../../forms/PasswordField';
import { SubmitButton } from '../../../forms/SubmitButton';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { type AccountDialog, closeAccountDialog, openAccountDialog } from '../../../session/accountDialog';
import { signIn } from '../../../session/tabSession';
import { CodeField } from '../CodeField';
import styles from './dialogs.module.css';

type SignInOptions = Extract<AccountDialog, { kind: 'signIn' }>;

interface Credentials {
  email: string;
  password: string;
}

export function SignIn({ back, lost = false, email = '', activation }: SignInOptions) {
  const [known, setKnown] = useState<Credentials | null>(null);
  const enter = useEntering(back, activation);
  return known === null ? (
    <PasswordStep
      email={email}
      back={back}
      lost={lost}
      activation={activation}
      enter={enter}
      onCodeRequired={setKnown}
    />
  ) : (
    <CodeStep enter={(otp) => enter({ ...known, otp })} />
  );
}

/** Signs in, then opens the page the visitor came from, or uses the link that required it. */
function useEntering(back: string | undefined, activation: string | undefined) {
  const t = useT('account');
  const locale = useLocale();
  const navigate = useNavigate();
  return async (credentials: Credentials & { otp?: string }) => {
    await withCaptcha(locale, 'login', (answer) => signIn(locale, { ...credentials, ...answer }));
    announce(t('sign_in.done'));
    if (activation !== undefined) {
      openAccountDialog({ kind: 'activation', token: activation });
      return;
    }
    closeAccountDialog();
    if (back !== undefined) {
      navigate(back, { replace: true });
    }
  };
}

interface PasswordStepProps {
  email: string;
  back: string | undefined;
  lost: boolean;
  activation: string | undefined;
  enter: (credentials: Credentials) => Promise<void>;
  onCodeRequired: (credentials: Credentials) => void;
}

function PasswordStep({ email, back, lost, activation, enter, onCodeRequired }: PasswordStepProps) {
  const t = useT('account');
  const paths = usePaths();
  const id = useId();
  const form = useForm({
    initial: { email, password: '' },
    send: (values) => enter({ ...values, email: values.email.trim() }),
    meaning: (error) => {
      if (error.code !== 'otp_required') return null;
      onCodeRequired({ ...form.values, email: form.values.email.trim() });
      return {};
    },
  });
  const actions = (
    <>
      <SubmitButton form={id} busy={form.busy}>
        {t('sign_in.submit')}
      </SubmitButton>
      <Button onClick={() => openAccountDialog({ kind: 'signUp' })}>{t('sign_up.title')}</Button>
    </>
  );
  return (
    <Modal title={t('sign_in.title')} onClose={closeAccountDialog} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        {lost ? <Notice tone="calm">{t('sign_in.lost')}</Notice> : null}
        {back !== undefined && !lost ? <p className="muted">{t('sign_in.needed')}</p> : null}
        {activation !== undefined ? <p>{t('sign_in.to_confirm')}</p> : null}
        <EmailField
          {...form.field('email')}
          label={t('email')}
          autoComplete="username"
          data-first={email === '' ? '' : undefined}
        />
        <PasswordField
          {...form.field('password')}
          label={t('password')}
          autoComplete="current-password"
          data-first={email === '' ? undefined : ''}
        />
        <p>
          <Link to={paths.recover()} onClickCapture={closeAccountDialog}>
            {t('sign_in.forgotten')}
          </Link>
        </p>
        <p>
          <button type="button" className="linkbtn" onClick={() => openAccountDialog({ kind: 'findClaim' })}>
            {t('find.link')}
          </button>
        </p>
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}

function CodeStep({ enter }: { enter: (otp: string) => Promise<void> }) {
  const t = useT('account');
  const id = useId();
  const form = useForm({
    initial: { code: '' },
    send: ({ code }) => enter(code.trim()),
    meaning: (error) => (error.code === 'otp_invalid' ? { code: error.message } : null),
  });
  const actions = (
    <SubmitButton form={id} busy={form.busy}>
      {t('sign_in.submit')}
    </SubmitButton>
  );
  return (
    <Modal title={t('sign_in.code_title')} onClose={closeAccountDialog} actions={actions}>
      <form id={id} className={styles.form} noValidate onSubmit={form.submit}>
        <CodeField {...form.field('code')} data-first="" />
        <Failure text={form.failure} />
      </form>
    </Modal>
  );
}
