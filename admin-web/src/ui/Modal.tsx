import CloseOutlined from '@mui/icons-material/CloseOutlined';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import { type FormEvent, type ReactNode, useId } from 'react';
import css from './Modal.module.css';
import { useTexts } from './useTexts.ts';

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Buttons at the foot, with the one that only leaves on the left. */
  actions?: ReactNode;
  /** Makes the content a form; Ctrl Enter sends it from anywhere within. */
  onSubmit?: () => void;
  /** For large content. */
  wide?: boolean;
  children: ReactNode;
};

export function Modal({ open, onClose, title, actions, onSubmit, wide, children }: Props) {
  const { t } = useTexts();
  const titleId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      aria-labelledby={titleId}
      maxWidth={false}
      // Before anything in it has the focus, the dialog itself has it.
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit?.();
      }}
    >
      <form className={wide ? `${css.box} ${css.wide}` : css.box} onSubmit={submit} noValidate>
        <header className={css.head}>
          <h2 id={titleId} className={css.title}>
            {title}
          </h2>
          <IconButton aria-label={t('action.close')} onClick={onClose}>
            <CloseOutlined fontSize="small" />
          </IconButton>
        </header>
        <div className={css.content}>{children}</div>
        {actions && <footer className={css.actions}>{actions}</footer>}
      </form>
    </Dialog>
  );
}
