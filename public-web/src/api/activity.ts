import { storeOf, usePicked } from '../store';

/** The number of calls the visitor waits for. */
const running = storeOf(0);

/** Shows the loading bar until the work ends. */
export async function whileLoading<T>(work: Promise<T>): Promise<T> {
  running.set(running.get() + 1);
  try {
    return await work;
  } finally {
    running.set(running.get() - 1);
  }
}

export function useActivity(): boolean {
  return usePicked(running, (count) => count > 0);
}
