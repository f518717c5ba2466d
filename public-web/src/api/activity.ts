/** Counts the calls somebody waits for, so that the loading bar can show them. */
let running = 0;
const listeners = new Set<() => void>();

function change(by: 1 | -1): void {
  running += by;
  for (const listener of listeners) {
    listener();
  }
}

/** Keeps the loading bar moving until the work is over, whatever its end. */
export async function whileLoading<T>(work: Promise<T>): Promise<T> {
  change(1);
  try {
    return await work;
  } finally {
    change(-1);
  }
}

export function onActivity(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isActive(): boolean {
  return running > 0;
}
