import { useEffect } from 'react';
import { useT } from '../i18n/texts';
import { useStore } from '../store';
import { Icon } from './Icon';
import styles from './Toasts.module.css';
import { dismiss, spoken, type Toast, toasts } from './toasts';

/** The short messages, also for screen readers. */
export function Toasts() {
  const shown = useStore(toasts);
  const announced = useStore(spoken);
  return (
    <>
      <div className={styles.corner} role="status">
        {shown.map((one) => (
          <ToastCard key={one.id} toast={one} />
        ))}
      </div>
      <div className="vh" aria-live="polite">
        {announced}
      </div>
    </>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const t = useT('common');
  useEffect(() => {
    if (toast.lasting) return;
    const timer = setTimeout(() => dismiss(toast.id), 7000);
    return () => clearTimeout(timer);
  }, [toast]);
  const { action } = toast;
  return (
    <div className={styles.toast}>
      <Icon name="info" />
      <p>{toast.text}</p>
      {action ? (
        <button type="button" className={styles.action} onClick={action.run}>
          {action.label}
        </button>
      ) : null}
      <button type="button" className={styles.close} onClick={() => dismiss(toast.id)} aria-label={t('close')}>
        <Icon name="close" />
      </button>
    </div>
  );
}
