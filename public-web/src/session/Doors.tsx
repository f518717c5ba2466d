import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { toast } from '../components/toasts';
import { useT } from '../i18n/texts';
import { closeDoor, type DoorState, openDoor, useDoor } from './door';
import { watchSession } from './session';
import { usePart } from './usePart';

const loadDialogs = async () => (await import('../features/account/dialogs/Dialogs')).Dialogs;

/** Finds out who uses the page, and opens the dialogs about the account over it. */
export function Doors() {
  const t = useT('common');
  const door = useDoor();
  const location = useLocation();
  const Dialogs = usePart(door !== null, loadDialogs, () => {
    closeDoor();
    toast(t('error_network'));
  });
  useEffect(watchSession, []);
  useEffect(() => {
    const asked = /^#(?:activate=(.+)|find$)/.exec(location.hash);
    const { door: kept } = (location.state ?? {}) as DoorState;
    if (asked) {
      // What is asked is asked once, and a token is a secret of its letter: neither stays in the address.
      window.history.replaceState(window.history.state, '', location.pathname + location.search);
      const token = asked[1];
      openDoor(token ? { kind: 'activation', token } : { kind: 'findClaim' });
    } else if (kept) {
      openDoor(kept);
    }
  }, [location]);
  return door && Dialogs ? <Dialogs door={door} /> : null;
}
