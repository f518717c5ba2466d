import { storeOf, useStore } from '../store';

/** How long the server may be silent before the page says that there is no connection. */
const PATIENCE = 2000;

/** Whether the server cannot be reached. */
const isLost = storeOf(false);

export function useIsOffline(): boolean {
  return useStore(isLost);
}

/** The server answered. */
export function noteAnswer(): void {
  if (isLost.get()) {
    isLost.set(false);
  }
}

let probing = false;

/** A request was lost: asks for a small file until the server answers. One lost request alone is not told. */
export async function noteSilence(): Promise<void> {
  if (probing) return;
  probing = true;
  for (;;) {
    const started = Date.now();
    if (await isReachable()) break;
    isLost.set(true);
    await pause(Math.max(0, PATIENCE - (Date.now() - started)));
  }
  probing = false;
  noteAnswer();
}

async function isReachable(): Promise<boolean> {
  try {
    // An answer of any kind: a closed or failing server is said elsewhere.
    await fetch('/version.json', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) });
    return true;
  } catch {
    return false;
  }
}

/** The connection is known to be lost. */
export function noteLoss(): void {
  isLost.set(true);
  void noteSilence();
}

/** Follows what the browser knows of the network. */
export function watchConnection(): () => void {
  const back = () => void noteSilence();
  window.addEventListener('offline', noteLoss);
  window.addEventListener('online', back);
  return () => {
    window.removeEventListener('offline', noteLoss);
    window.removeEventListener('online', back);
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    const stop = isLost.subscribe(() => {
      if (!isLost.get()) end();
    });
    window.addEventListener('online', end);
    function end() {
      clearTimeout(timer);
      stop();
      window.removeEventListener('online', end);
      resolve();
    }
  });
}

/** Waits before another attempt: so long, or until the connection is back. */
export const untilConnected = pause;

/** Calls back whenever the connection is back; gives a function that stops it. */
export function onReconnect(act: () => void): () => void {
  return isLost.subscribe(() => {
    if (!isLost.get()) act();
  });
}
