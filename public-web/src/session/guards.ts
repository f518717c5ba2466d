import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Customer } from '../api/account';
import { usePaths } from '../i18n/usePaths';
import type { DoorState } from './door';
import { useSession } from './session';

/**
 * The auth guard: the page is for signed-in customers. Anybody else is led home, to the sign-in dialog, which leads back
 * here. Null while that is not known or on its way.
 */
export function useCustomer(): Customer | null {
  const session = useSession();
  const navigate = useNavigate();
  const paths = usePaths();
  const { pathname, search } = useLocation();
  const wasIn = useRef(false);
  useEffect(() => {
    if (session.phase === 'customer') {
      wasIn.current = true;
    } else if (session.phase === 'guest') {
      // Who has just signed out is not asked to sign in.
      const hasLeft = wasIn.current && !session.lost;
      const state: DoorState = {
        door: { kind: 'signIn', back: pathname + search, lost: wasIn.current && session.lost },
      };
      navigate(paths.home(), { replace: true, state: hasLeft ? null : state });
    }
  }, [session, navigate, paths, pathname, search]);
  return session.phase === 'customer' ? session.customer : null;
}

/** The guest guard: the page is for guests; signed-in customers are led to their account. True when it may be shown. */
export function useGuestsOnly(onTurnedAway: () => void): boolean {
  const session = useSession();
  const navigate = useNavigate();
  const paths = usePaths();
  const turnAway = useRef(onTurnedAway);
  turnAway.current = onTurnedAway;
  const isIn = session.phase === 'customer';
  useEffect(() => {
    if (isIn) {
      turnAway.current();
      navigate(paths.account(), { replace: true });
    }
  }, [isIn, navigate, paths]);
  return session.phase === 'guest' || (session.phase === 'unknown' && session.trouble !== undefined);
}
