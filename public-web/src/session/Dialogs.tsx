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
  const { key, pathname, search, hash, state } = useLocation();
  const Dialogs = usePart(dialog !== null, loadDialogs, () => {
    closeAccountDialog();
    toast(t('error_network'));
  });
  useEffect(watchSession, []);
  // While the next page is being loaded, each render has another copy of the same location.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation opens its dialog, also one to the same address.
  useEffect(() => {
    const match = /^#(?:activate=(.+)|find$)/.exec(hash);
    const { dialog: saved } = (state ?? {}) as AccountDialogState;
    if (match) {
      // The dialog opens once, and a token is a secret: neither stays in the address.
      window.history.replaceState(window.history.state, '', pathname + search);
      const token = match[1];
      openAccountDialog(token ? { kind: 'activation', token } : { kind: 'findClaim' });
    } else if (saved) {
      openAccountDialog(saved);
    }
  }, [key, pathname, search, hash, state]);
  return dialog && Dialogs ? <Dialogs dialog={dialog} /> : null;
}
