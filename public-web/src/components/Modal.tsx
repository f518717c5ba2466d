import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useT } from '../i18n/texts';
import { Button } from './Button';
import { Icon } from './Icon';
import styles from './Modal.module.css';

interface ModalProps {
  title: string;
  children: ReactNode;
  onClose: () => void;
  /** The word on the button; "Ok" unless another is given. */
  button?: string | undefined;
  /** Buttons in place of the usual one. */
  actions?: ReactNode;
}

/** A message over the page. The button, the close control, Escape and a click beside it close it. */
export function Modal({ title, children, onClose, button, actions }: ModalProps) {
  const t = useT('common');
  const dialog = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget>(null);
  const titleId = useId();
  // Closed while it is still in the page, a dialog gives the focus back to what opened it.
  useLayoutEffect(() => {
    const node = dialog.current;
    node?.showModal();
    // Where there is something to fill in, reading begins with it and not with the way out.
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
        // Text that is selected beyond the edge is no click beside it.
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
