import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { toast } from '../components/toasts';
import { useT } from '../i18n/texts';
import { type AccountDialogState, closeAccountDialog, openAccountDialog, useAccountDialog } from './accountDialog';
import { watchSession } from './session';
import { usePart } from './usePart';

const loadDialogs = async () => (await import('../features/account/dialogs/Dialogs')).Dialogs;

/** Restores the session, and opens the dialogs about the account. */
export function Dialogs() {
  const t = useT('common');
  const dialog = useAccountDialog();
  const location = useLocation();
  const Dialogs = usePart(dialog !== null, loadDialogs, () => {
    closeAccountDialog();
    toast(t('error_network'));
  });
  useEffect(watchSession, []);
  useEffect(() => {
    const match = /^#(?:activate=(.+)|find$)/.exec(location.hash);
    const { dialog: saved } = (location.state ?? {}) as AccountDialogState;
    if (match) {
      // The dialog opens once, and a token is a secret: neither stays in the address.
      window.history.replaceState(window.history.state, '', location.pathname + location.search);
      const token = match[1];
      openAccountDialog(token ? { kind: 'activation', token } : { kind: 'findClaim' });
    } else if (saved) {
      openAccountDialog(saved);
    }
  }, [location]);
  return dialog && Dialogs ? <Dialogs dialog={dialog} /> : null;
}
