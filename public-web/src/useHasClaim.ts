import { useSyncExternalStore } from 'react';
import { rememberedClaim } from './claimMemory';

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}

/** Whether a claim is in progress in this browser; false in prerendered pages. */
export function useHasClaim(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => rememberedClaim() !== null,
    () => false,
  );
}
