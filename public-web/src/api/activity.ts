import { storeOf, useStore } from '../store';

/** How many calls somebody waits for; the loading bar shows them. */
const running = storeOf(0);

/** Keeps the loading bar moving until the work is over, whatever its end. */
export async function whileLoading<T>(work: Promise<T>): Promise<T> {
  running.set(running.get() + 1);
  try {
    return await work;
  } finally {
    running.set(running.get() - 1);
  }
}

/** Whether somebody waits for a call. */
export function useActivity(): boolean {
  return useStore(running) > 0;
}
