/** Names of what is kept of the server's answers. */
export const STAFF = ['staff'] as const;
export const ROLES = ['roles'] as const;
export const sessionsOf = (id: string) => ['sessions', id] as const;

/** The roles, from the one that may most. */
export const ROLE_NAMES = ['owner', 'operator', 'cashier', 'editor', 'auditor'] as const;
