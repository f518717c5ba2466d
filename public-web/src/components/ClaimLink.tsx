import { useSyncExternalStore } from 'react';
import { rememberedClaim } from '../claimMemory';
import { useT } from '../i18n/texts';
import { usePaths } from '../i18n/usePaths';
import { ButtonLink } from './Button';

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}

/** Leads to the claim in progress in this browser; nothing without one and in prerendered pages. */
export function ClaimLink() {
  const t = useT('common');
  const paths = usePaths();
  const hasClaim = useSyncExternalStore(
    subscribe,
    () => rememberedClaim() !== null,
    () => false,
  );
  return hasClaim ? <ButtonLink to={paths.claim()}>{t('my_claim')}</ButtonLink> : null;
}
