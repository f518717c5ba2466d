import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Customer } from '../api/types';
import { usePaths } from '../i18n/usePaths';
import type { AccountDialogState } from './accountDialog';
import { useSession } from './session';

/**
 * For pages of signed-in customers. Guests are redirected to the home page with the sign-in dialog, which leads back
 * here. Null until the session is known, and during the redirection.
 */
export function useCustomer(): Customer | null {
  const session = useSession();
  const navigate = useNavigate();
  const paths = usePaths();
  const { pathname, search, hash } = useLocation();
  const wasIn = useRef(false);
  useEffect(() => {
    if (session.phase === 'customer') {
      wasIn.current = true;
    } else if (session.phase === 'guest') {
      // After signing out the sign-in dialog is not shown.
      const hasLeft = wasIn.current && !session.lost;
      const state: AccountDialogState = {
        dialog: { kind: 'signIn', back: pathname + search + hash, lost: wasIn.current && session.lost },
      };
      navigate(paths.home(), { replace: true, state: hasLeft ? null : state });
    }
  }, [session, navigate, paths, pathname, search, hash]);
  return session.phase === 'customer' ? session.customer : null;
}

/**
 * For pages of guests: signed-in customers are redirected to their account, unless `isForAll`. True when the page may
 * be shown.
 */
export function useGuestsOnly(onRedirect: () => void, isForAll: boolean): boolean {
  const session = useSession();
  const navigate = useNavigate();
  const paths = usePaths();
  const redirect = useRef(onRedirect);
  redirect.current = onRedirect;
  const isIn = session.phase === 'customer' && !isForAll;
  useEffect(() => {
    if (isIn) {
      redirect.current();
      navigate(paths.account(), { replace: true });
    }
  }, [isIn, navigate, paths]);
  return isForAll || session.phase === 'guest' || (session.phase === 'unknown' && session.error !== undefined);
}
