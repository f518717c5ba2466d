import { type MouseEvent, type ReactNode, useState } from 'react';
import type { ClaimAction } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Modal } from '../../../components/Modal';
import { Notice } from '../../../components/Notice';
import { Trans } from '../../../i18n/Trans';
import { useT } from '../../../i18n/texts';
import { useSendsEmails } from '../../../site';
import type { ActionState } from '../useAction';
import type { FollowedClaim } from '../useClaim';
import css from './steps.module.css';

export interface StepProps {
  claim: FollowedClaim;
  action: ActionState;
}

export function Actions({ children }: { children: ReactNode }) {
  return <div className={css.actions}>{children}</div>;
}

interface ActionButtonProps {
  /** The main action. */
  main?: boolean;
  quiet?: boolean;
  /** Submits its form. */
  submit?: boolean;
  busy: boolean;
  onClick?(): void;
  children: ReactNode;
}

/** A button that starts a call. During the call it stays focused and in place, but does not start another. */
export function ActionButton({
  main = false,
  quiet = false,
  submit = false,
  busy,
  onClick,
  children,
}: ActionButtonProps) {
  const click = (event: MouseEvent) => {
    if (busy) event.preventDefault();
    else onClick?.();
  };
  return (
    <Button
      type={submit ? 'submit' : 'button'}
      look={main ? 'main' : quiet ? 'quiet' : 'plain'}
      className={main ? css.main : undefined}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={click}
    >
      {children}
    </Button>
  );
}

/** Why the last action failed; above its button. */
export function Refusal({ action, of }: { action: ActionState; of: ClaimAction }) {
  if (action.refused?.action !== of) return null;
  return (
    <Notice tone="danger" live>
      {action.refused.text}
    </Notice>
  );
}

/** A text with an address, which breaks only where it is longer than the line; without emails, what to do instead. */
export function MailLine({ email }: { email: string }) {
  const t = useT('claim');
  const isSent = useSendsEmails();
  if (!isSent) return <p className={css.note}>{t('progress.mail_off')}</p>;
  return (
    <p className={css.note}>
      <Trans
        ns="claim"
        i18nKey="progress.mail"
        values={{ email }}
        components={{ nb: <span className={css.whole} /> }}
      />
    </p>
  );
}

/** Cancels the claim after a confirmation; absent when the server does not allow it. */
export function CancelClaim({ claim, action }: StepProps) {
  const t = useT('claim');
  const [asking, setAsking] = useState(false);
  const { form, status } = claim;
  if (!status.actions.includes('cancel')) return null;
  const text = form.from.kind === 'cash' ? 'meeting.cancelText' : 'cancel.text';
  const cancel = async () => {
    await action.run('cancel', () => claim.calls.cancel());
    setAsking(false);
  };
  return (
    <>
      <Button look="quiet" onClick={() => setAsking(true)}>
        {t('cancel.action')}
      </Button>
      {asking && (
        <Modal
          title={t('cancel.title')}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button look="main" onClick={() => setAsking(false)}>
                {t('cancel.no')}
              </Button>
              <ActionButton busy={action.busy === 'cancel'} onClick={() => void cancel()}>
                {t('cancel.yes')}
              </ActionButton>
            </>
          }
        >
          <p>{t(status.status === 'awaiting_payment' ? text : 'cancel.textBefore')}</p>
        </Modal>
      )}
      <Refusal action={action} of="cancel" />
    </>
  );
}
