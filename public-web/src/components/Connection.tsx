import { useEffect } from 'react';
import { useIsOffline, watchConnection } from '../api/connection';
import { useT } from '../i18n/texts';
import styles from './Connection.module.css';
import { Icon } from './Icon';

/** Says that there is no connection, as long as there is none. */
export function Connection() {
  const t = useT('common');
  const isOffline = useIsOffline();
  useEffect(watchConnection, []);
  useEffect(() => {
    // Numbers that may be old by now are shown in grey.
    document.documentElement.toggleAttribute('data-offline', isOffline);
  }, [isOffline]);
  return (
    <div role="status" className={styles.place}>
      {isOffline ? (
        <p className={styles.line}>
          <Icon name="alert" />
          <span>{t('offline')}</span>
        </p>
      ) : null}
    </div>
  );
}
