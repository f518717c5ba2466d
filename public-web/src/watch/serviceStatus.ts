import type { ServiceStatus } from '../api/types';
import { storeOf, usePicked, useStore } from '../store';

const store = storeOf<ServiceStatus | null>(null);

export function rememberServiceStatus(next: ServiceStatus): void {
  if (JSON.stringify(store.get()) !== JSON.stringify(next)) {
    store.set(next);
  }
}

/** Null until the first answer. */
export function useServiceStatus(): ServiceStatus | null {
  return useStore(store);
}

export function useClaimsPaused(): boolean {
  return usePicked(store, (status) => status?.claimsPaused ?? false);
}
