import type { Schema } from '@agio/client/admin';
import { useSyncExternalStore } from 'react';
import { session } from './api.ts';

/** The signed-in staff member, as the server last returned them. */
export function useSession(): Schema<'StaffProfileView'> | null {
  return useSyncExternalStore(session.listen, () => session.user);
}

/** Whether the session ended by itself. */
export const useSessionEnd = (): boolean => useSyncExternalStore(session.listen, () => session.hasEnded);
