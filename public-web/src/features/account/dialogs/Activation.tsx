import { useCallback, useEffect } from 'react';
import { useNavigate } from 'react-router';
import type { Told } from '../../../api/account';
import { call } from '../../../api/client';
import { ApiError, wordsFor } from '../../../api/errors';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Modal } from '../../../components/Modal';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { closeDoor, openDoor } from '../../../session/door';
import { renewCustomer } from '../../../session/keeping';
import { currentSession } from '../../../session/session';

/** A link is good once, so each is used once, however often the page is drawn. */
const used = new Map<string, Promise<Told>>();

function activate(locale: Locale, token: string): Promise<Told> {
  const known = used.get(token);
  if (known) {
    return known;
  }
  const told = call(locale, 'POST /users/activate/{token}/', { path: { token } });
  used.set(token, told);
  // Without an answer nobody knows whether the link was used: it may be tried again.
  told.catch((error) => error instanceof ApiError || used.delete(token));
  return told;
}

/** Where the link of the activation letter leads: uses it, says what came of it, and goes on. */
export function Activation({ token }: { token: string }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const [answer, again] = useAnswer(useCallback(() => activate(locale, token), [locale, token]));
  if (answer.state === 'waiting') {
    return null;
  }
  if (answer.state === 'here') {
    return <Activated told={answer.value} />;
  }
  const { error } = answer;
  const actions = error instanceof ApiError ? <AfterRefusal /> : <Button onClick={again}>{t('try_again')}</Button>;
  return (
    <Modal title={t('activation.failed')} onClose={closeDoor} actions={actions}>
      <p>{wordsFor(error, common)}</p>
    </Modal>
  );
}

function Activated({ told: { notification } }: { told: Told }) {
  const locale = useLocale();
  const paths = usePaths();
  const navigate = useNavigate();
  useEffect(() => {
    if (currentSession().phase === 'customer') {
      renewCustomer(locale).catch(console.error);
    }
  }, [locale]);
  const goOn = () => {
    if (currentSession().phase === 'customer') {
      closeDoor();
      navigate(paths.account());
    } else {
      openDoor({ kind: 'signIn', back: paths.account() });
    }
  };
  return (
    <Modal title={notification.title} onClose={goOn}>
      <p>{notification.message}</p>
    </Modal>
  );
}

function AfterRefusal() {
  const t = useT('account');
  return (
    <>
      <Button look="main" data-first="" onClick={() => openDoor({ kind: 'reactivation' })}>
        {t('reactivation.title')}
      </Button>
      <Button onClick={() => openDoor({ kind: 'signIn' })}>{t('sign_in.submit')}</Button>
    </>
  );
}
