import { ApiError } from '@agio/client/problem';
import { useCallback, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { NotificationResponse } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Modal } from '../../../components/Modal';
import { type Locale, useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { closeAccountDialog, openAccountDialog } from '../../../session/accountDialog';
import { useSession } from '../../../session/session';
import { renewCustomer } from '../../../session/tabSession';

/** A link works once, so each is used once, however often the page renders. */
const used = new Map<string, Promise<NotificationResponse>>();

function activate(locale: Locale, token: string): Promise<NotificationResponse> {
  const known = used.get(token);
  if (known) return known;
  const notification = call(locale, 'POST /users/activate/{token}/', { path: { token } });
  used.set(token, notification);
  // Without an answer it is unknown whether the link was used: it may be tried again.
  notification.catch((error) => error instanceof ApiError || used.delete(token));
  return notification;
}

/**
 * Uses the link of the activation email and shows the result. Only who signed up may use it, so the visitor signs in
 * first.
 */
export function Activation({ token }: { token: string }) {
  const { phase } = useSession();
  useEffect(() => {
    if (phase === 'guest') {
      openAccountDialog({ kind: 'signIn', activation: token });
    }
  }, [phase, token]);
  return phase === 'customer' ? <UsedLink token={token} /> : null;
}

function UsedLink({ token }: { token: string }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const [answer, again] = useAnswer(useCallback(() => activate(locale, token), [locale, token]));
  if (answer.state === 'loading') return null;
  if (answer.state === 'ready') return <Activated notification={answer.value} />;
  const { error } = answer;
  const actions = error instanceof ApiError ? <AfterRefusal /> : <Button onClick={again}>{common('try_again')}</Button>;
  return (
    <Modal title={t('activation.failed')} onClose={closeAccountDialog} actions={actions}>
      <p>{errorText(error, common)}</p>
    </Modal>
  );
}

function Activated({ notification: { notification } }: { notification: NotificationResponse }) {
  const locale = useLocale();
  const paths = usePaths();
  const navigate = useNavigate();
  useEffect(() => {
    renewCustomer(locale).catch(console.error);
  }, [locale]);
  const goOn = () => {
    closeAccountDialog();
    navigate(paths.account());
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
    <Button look="main" data-first="" onClick={() => openAccountDialog({ kind: 'reactivation' })}>
      {t('reactivation.title')}
    </Button>
  );
}
