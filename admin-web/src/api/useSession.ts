import type { Staff } from '@agio/client/admin';
import { useCallback, useSyncExternalStore } from 'react';
import { session } from './api.ts';

/** Who is signed in, as the server last said it. */
export function useSession(): Staff | null {
  const listen = useCallback((changed: () => void) => session.listen(changed), []);
  return useSyncExternalStore(listen, () => session.user);
}
