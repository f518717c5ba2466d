import { Icon } from '../components/Icon';
import { Skeleton } from '../components/Skeleton';
import { useT } from '../i18n/texts';
import styles from './AccountEntry.module.css';
import { openAccountDialog } from './accountDialog';
import { useSession } from './session';
import { usePart } from './usePart';

const loadMenu = async () => (await import('./AccountMenu')).AccountMenu;

/** The account in the header; a placeholder until the session is known. */
export function AccountEntry() {
  const t = useT('common');
  const session = useSession();
  const isIn = session.phase === 'customer';
  const Menu = usePart(isIn, loadMenu);
  if (isIn && Menu) return <Menu customer={session.customer} />;
  if (session.phase === 'guest') {
    return (
      <button type="button" className={styles.entry} onClick={() => openAccountDialog({ kind: 'signIn' })}>
        <Icon name="person" />
        <span className={styles.name}>{t('sign_in')}</span>
      </button>
    );
  }
  return <Skeleton className={styles.blank} />;
}
