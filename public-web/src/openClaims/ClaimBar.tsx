import { useEffect, useLayoutEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { openClaims, rememberedClaim, setAccountClaims } from '../claimMemory';
import { useSession } from '../session/session';
import { usePart } from '../session/usePart';
import styles from './ClaimBar.module.css';

const loadClaims = async () => (await import('./OpenClaims')).OpenClaims;

/** The id of the claim that a page shows; null on other pages. */
export function claimOf(pathname: string, search: string): string | null {
  const [, part] = /^(?:\/en)?\/claim(?:\/([^/]*))?\/?$/.exec(pathname) ?? [];
  if (part === 'success' || part === 'fail') return new URLSearchParams(search).get('id');
  return part ?? (/\/claim\/?$/.test(pathname) ? rememberedClaim() : null);
}

/**
 * The open claims of this browser or account, on every page but their own. The place is reserved before the first paint
 * (theme.js), so that nothing moves when they are loaded.
 */
export function ClaimBar() {
  const { pathname, search } = useLocation();
  const session = useSession();
  // Null until the storage was read: the place stays as it was reserved.
  const [known, setKnown] = useState<string[] | null>(null);
  const look = () => setKnown(openClaims());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page may have opened or ended a claim.
  useEffect(look, [pathname, search]);
  const ids = known?.filter((id) => id !== claimOf(pathname, search));
  const isIn = session.phase === 'customer';
  const isGuest = session.phase === 'guest';
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are the account's, and end with the session.
  useEffect(() => {
    if (isGuest) {
      setAccountClaims([]);
      look();
    }
  }, [isGuest]);
  const isShown = Boolean(ids?.length);
  const Claims = usePart(isShown || isIn, loadClaims);
  useLayoutEffect(() => {
    if (known) document.documentElement.toggleAttribute('data-claims', isShown);
  }, [known, isShown]);
  return <div className={styles.place}>{Claims ? <Claims ids={ids ?? []} isIn={isIn} onChange={look} /> : null}</div>;
}
