import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useT } from '../i18n/texts';
import { Button } from './Button';
import { Icon } from './Icon';
import styles from './Modal.module.css';

interface ModalProps {
  title: string;
  children: ReactNode;
  onClose: () => void;
  /** The text of the button, "Ok" by default. */
  button?: string | undefined;
  actions?: ReactNode;
}

/** A dialog. The button, the close control, Escape and a click outside close it. */
export function Modal({ title, children, onClose, button, actions }: ModalProps) {
  const t = useT('common');
  const dialog = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget>(null);
  const titleId = useId();
  // Closed before it is removed, a dialog returns the focus to what opened it.
  useLayoutEffect(() => {
    const node = dialog.current;
    node?.showModal();
    // A field takes the focus rather than the close button.
    node?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => node?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself.
    <dialog
      ref={dialog}
      className={styles.modal}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={(event) => {
        // A selection that ends outside is no click outside.
        if (event.target === event.currentTarget && pressed.current === event.target) {
          onClose();
        }
      }}
    >
      <div className={styles.card}>
        <h2 id={titleId}>{title}</h2>
        <button type="button" className={styles.close} onClick={onClose} aria-label={t('close')}>
          <Icon name="close" />
        </button>
        <div className={styles.message}>{children}</div>
        <div className={styles.actions}>
          {actions ?? (
            <Button look="main" onClick={onClose} data-first="">
              {button ?? t('ok')}
            </Button>
          )}
        </div>
      </div>
    </dialog>
  );
}
