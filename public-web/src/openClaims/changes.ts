import { storeOf, useStore } from '../store';

const changes = storeOf(0);

/** Says that a claim has changed on a page that is not its own, so that its state is asked for again. */
export function claimChanged(): void {
  changes.set(changes.get() + 1);
}

/** How often that was said. */
export const useClaimChanges = (): number => useStore(changes);
