import type { Told } from '../../../api/account';
import { Button } from '../../../components/Button';
import { Modal } from '../../../components/Modal';
import { useT } from '../../../i18n/texts';
import { closeDoor, openDoor } from '../../../session/door';
import { SendAgain } from '../SendAgain';
import styles from './dialogs.module.css';

/** A letter with an activation link is on its way. */
export function Sent({ told, email }: { told: Told; email: string }) {
  const t = useT('account');
  const actions = (
    <>
      <Button look="main" data-first="" onClick={closeDoor}>
        {t('sent.done')}
      </Button>
      <Button onClick={() => openDoor({ kind: 'signIn', email })}>{t('sign_in.submit')}</Button>
    </>
  );
  return (
    <Modal title={t('sent.title')} onClose={closeDoor} actions={actions}>
      <p>{told.notification.message}</p>
      <p className={styles.address}>{email}</p>
      <p className="muted">{t('sent.hint')}</p>
      <SendAgain email={email} />
    </Modal>
  );
}
