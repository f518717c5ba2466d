const KEY = 'agio.claim';

/** More open claims than these nobody has. */
const MOST = 10;

const isId = (id: unknown): id is string => typeof id === 'string';

/** The claims in progress that this browser created or opened, the latest first. */
export function rememberedClaims(): string[] {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as { id?: unknown; others?: unknown } | null;
    const others = Array.isArray(stored?.others) ? stored.others : [];
    return [...new Set([stored?.id, ...others].filter(isId))];
  } catch {
    // Storage may be blocked, or hold something else.
    return [];
  }
}

/** The latest of them. */
export function rememberedClaim(): string | null {
  return rememberedClaims()[0] ?? null;
}

export function rememberClaim(id: string): void {
  save([id, ...rememberedClaims().filter((other) => other !== id)]);
}

/** The open claims of the account in this tab: they are forgotten with the session. */
const ACCOUNT_KEY = 'agio.claim.account';

/** All open claims that this browser knows of. */
export function openClaims(): string[] {
  return [...new Set([...rememberedClaims(), ...accountClaims()])];
}

function accountClaims(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(ACCOUNT_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isId) : [];
  } catch {
    return [];
  }
}

export function setAccountClaims(ids: string[]): void {
  try {
    if (ids.length === 0) sessionStorage.removeItem(ACCOUNT_KEY);
    else sessionStorage.setItem(ACCOUNT_KEY, JSON.stringify(ids.slice(0, MOST)));
  } catch {
    // Without storage the account's list of claims shows them.
  }
}

export function forgetClaim(id: string): void {
  save(rememberedClaims().filter((other) => other !== id));
  setAccountClaims(accountClaims().filter((other) => other !== id));
}

function save(ids: string[]): void {
  const [id, ...others] = ids.slice(0, MOST);
  try {
    if (id === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(others.length > 0 ? { id, others } : { id }));
  } catch {
    // Without storage a claim is still reachable by its link.
  }
}
