import type { AuthProvider } from 'react-admin';
import { language } from '../i18n/language.ts';
import { type Action, may } from './access.ts';
import { live, session } from './api.ts';
import { isProblem } from './problem.ts';

const READING = ['list', 'show', 'read', 'export'];
const actionOf = (action: string): Action => (READING.includes(action) ? 'read' : 'edit');

/** Passes with a token, or with a cookie that still gives one. */
async function ensureSession(): Promise<void> {
  if (!session.accessToken && !(await session.refresh())) {
    throw new Error();
  }
}

export const authProvider: AuthProvider = {
  login: ({ email, password, otp }: { email: string; password: string; otp?: string }) =>
    session.signIn(email, password, language(), otp),
  logout: async () => {
    live.stop();
    await session.signOut();
  },
  checkAuth: async () => {
    try {
      await ensureSession();
    } catch {
      throw { message: false };
    }
    // Before a second factor is set up the stream is closed like everything else.
    if (!session.user?.setupNeeded) live.start();
  },
  checkError: async (error: unknown) => {
    if (isProblem(error) && error.status === 401) {
      throw { message: false };
    }
  },
  getIdentity: async () => {
    await ensureSession();
    const user = session.user;
    return { id: user?.id ?? '', fullName: user?.name ?? '', email: user?.email, role: user?.role };
  },
  getPermissions: async () => session.user?.permissions ?? [],
  canAccess: async ({ resource, action }) => {
    await ensureSession();
    return may(session.user, resource, actionOf(action));
  },
};
