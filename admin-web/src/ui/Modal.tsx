import CloseOutlined from '@mui/icons-material/CloseOutlined';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import IconButton from '@mui/material/IconButton';
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useBlocker } from 'react-router';
import css from './Modal.module.css';
import { useLeaveWarning } from './useLeaveWarning.ts';
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
  /** What is being sent cannot be called back: the dialog stays until the answer. */
  isPending?: boolean;
  children: ReactNode;
};

/** A dialog. Before it is left with what was typed in it, it asks. */
export function Modal({ open, onClose, title, actions, onSubmit, wide, isPending, children }: Props) {
  const { t } = useTexts();
  const titleId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const [isTyped, setTyped] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const isFilledIn = onSubmit !== undefined && isTyped;
  const isLost = open && (isFilledIn || isPending === true);
  useLeaveWarning(isLost);
  const leave = () => {
    if (isPending) return;
    if (isFilledIn) setAsking(true);
    else onClose();
  };
  return (
    <>
      <Dialog
        open={open}
        onClose={leave}
        aria-labelledby={titleId}
        maxWidth={false}
        // Before anything in it has the focus, the dialog itself has it.
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit?.();
        }}
      >
        <form
          className={wide ? `${css.box} ${css.wide}` : css.box}
          onChange={() => setTyped(true)}
          onSubmit={submit}
          noValidate
        >
          <header className={css.head}>
            <h2 id={titleId} className={css.title}>
              {title}
            </h2>
            <IconButton aria-label={t('action.close')} onClick={leave}>
              <CloseOutlined fontSize="small" />
            </IconButton>
          </header>
          <div className={css.content}>{children}</div>
          {actions && <footer className={css.actions}>{actions}</footer>}
        </form>
      </Dialog>
      <LeaveQuestion open={isAsking} onStay={() => setAsking(false)} onLeave={onClose} />
      {isLost && <BackGuard isPending={isPending === true} onLeave={onClose} />}
    </>
  );
}

/** Asks before the browser's Back takes the dialog away; while it is sending, Back waits. A router has one such guard. */
function BackGuard({ isPending, onLeave }: { isPending: boolean; onLeave: () => void }) {
  const blocker = useBlocker(({ historyAction }) => historyAction === 'POP');
  useEffect(() => {
    if (isPending && blocker.state === 'blocked') blocker.reset();
  }, [isPending, blocker]);
  return (
    <LeaveQuestion
      open={blocker.state === 'blocked' && !isPending}
      onStay={() => blocker.reset?.()}
      onLeave={() => {
        blocker.proceed?.();
        onLeave();
      }}
    />
  );
}

function LeaveQuestion({ open, onStay, onLeave }: { open: boolean; onStay: () => void; onLeave: () => void }) {
  const { t } = useTexts();
  const titleId = useId();
  return (
    <Dialog open={open} onClose={onStay} aria-labelledby={titleId}>
      <h2 id={titleId} className={css.question}>
        {t('leave.title')}
      </h2>
      <footer className={css.actions}>
        <Button color="error" onClick={onLeave}>
          {t('leave.discard')}
        </Button>
        <Button variant="contained" autoFocus onClick={onStay}>
          {t('leave.stay')}
        </Button>
      </footer>
    </Dialog>
  );
}
