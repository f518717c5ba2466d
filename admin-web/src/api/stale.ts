import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * What a change makes stale: the path of an answer (`/claims/7`), or with a star everything below it (`/partners*`).
 * Lists of react-admin go by the path of their resource.
 */
export type Stale = string;

/** A change answers its own call and is announced by the live stream as well: both are read again together. */
const GATHER_MS = 150;

const gathered = new WeakMap<QueryClient, Set<Stale>>();

/** Reads again what is stale, once however often it is named within a moment. */
export function markStale(client: QueryClient, ...stale: Stale[]): void {
  const waiting = gathered.get(client);
  if (waiting) {
    for (const one of stale) waiting.add(one);
    return;
  }
  const all = new Set(stale);
  gathered.set(client, all);
  setTimeout(() => {
    gathered.delete(client);
    void client.invalidateQueries({ predicate: ({ queryKey }) => [...all].some((one) => matches(queryKey, one)) });
  }, GATHER_MS);
}

function matches(key: QueryKey, stale: Stale): boolean {
  const path = pathOfKey(key);
  return stale.endsWith('*') ? path.startsWith(stale.slice(0, -1)) : path === stale;
}

const pathOfKey = ([first]: QueryKey): string => {
  const name = String(first ?? '');
  return name.startsWith('/') ? name : `/${name}`;
};
