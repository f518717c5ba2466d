import type { NotificationResponse } from '../../../api/types';
import { Button } from '../../../components/Button';
import { EmailsOff } from '../../../components/EmailsOff';
import { Modal } from '../../../components/Modal';
import { useT } from '../../../i18n/texts';
import { closeAccountDialog, openAccountDialog } from '../../../session/accountDialog';
import { useSendsEmails } from '../../../site';
import { SendAgain } from '../SendAgain';
import styles from './dialogs.module.css';

/** The activation email was sent, or why there is none. */
export function EmailSent({ notification, email }: { notification: NotificationResponse; email: string }) {
  const t = useT('account');
  const isSent = useSendsEmails();
  const actions = (
    <>
      <Button look="main" data-first="" onClick={closeAccountDialog}>
        {t('sent.done')}
      </Button>
      <Button onClick={() => openAccountDialog({ kind: 'signIn', email })}>{t('sign_in.submit')}</Button>
    </>
  );
  return (
    <Modal title={t(isSent ? 'sent.title' : 'sent.off_title')} onClose={closeAccountDialog} actions={actions}>
      {isSent ? (
        <>
          <p>{notification.notification.message}</p>
          <p className={styles.address}>{email}</p>
          <p className="muted">{t('sent.hint')}</p>
          <SendAgain email={email} />
        </>
      ) : (
        <EmailsOff />
      )}
    </Modal>
  );
}
