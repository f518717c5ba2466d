import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * What a change makes stale: the path of an answer (`/claims/7`), or with a star everything below it (`/partners*`).
 * Lists of react-admin go by the path of their resource.
 */
export type Stale = string;

/** A change answers its own call and is announced by the live stream as well: both are read again together. */
const GATHER_MS = 150;

const gathered = new WeakMap<QueryClient, { all: Set<Stale>; read: Promise<void> }>();

/**
 * Reads again what is stale, once however often it is named within a moment. Resolves when what is on the screen has
 * been read, or could not be.
 */
export function markStale(client: QueryClient, ...stale: Stale[]): Promise<void> {
  if (stale.length === 0) return Promise.resolve();
  const waiting = gathered.get(client);
  if (waiting) {
    for (const one of stale) waiting.all.add(one);
    return waiting.read;
  }
  const all = new Set(stale);
  const read = new Promise((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
    gathered.delete(client);
    return client.invalidateQueries({ predicate: ({ queryKey }) => [...all].some((one) => matches(queryKey, one)) });
  });
  gathered.set(client, { all, read });
  return read;
}

function matches(key: QueryKey, stale: Stale): boolean {
  const path = pathOfKey(key);
  return stale.endsWith('*') ? path.startsWith(stale.slice(0, -1)) : path === stale;
}

const pathOfKey = ([first]: QueryKey): string => {
  const name = String(first ?? '');
  return name.startsWith('/') ? name : `/${name}`;
};
