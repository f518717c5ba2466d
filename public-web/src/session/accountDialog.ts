import { storeOf, useStore } from '../store';

export type AccountDialog =
  /**
   * `back`: the page that required it. `lost`: the session ended by itself. `activation`: the token of the link that
   * required it.
   */
  | { kind: 'signIn'; back?: string; lost?: boolean; email?: string; activation?: string }
  | { kind: 'signUp'; email?: string }
  /** Opened by the link of the activation email. */
  | { kind: 'activation'; token: string }
  | { kind: 'reactivation' }
  | { kind: 'findClaim' };

/** Stored in the history beside the address, so that a reload opens the dialog again. */
export interface AccountDialogState {
  dialog?: AccountDialog;
}

const store = storeOf<AccountDialog | null>(null);

export const openAccountDialog: (dialog: AccountDialog) => void = store.set;

/** Closes the dialog, also for a reload. */
export function closeAccountDialog(): void {
  const { history } = window;
  if (history.state?.usr?.dialog) {
    history.replaceState({ ...history.state, usr: null }, '');
  }
  store.set(null);
}

export function useAccountDialog(): AccountDialog | null {
  return useStore(store);
}
