import { readStored, writeStored } from './browserStorage';

const KEY = 'agio.claim';

/** More open claims than these nobody has. */
const MOST = 10;

const isId = (id: unknown): id is string => typeof id === 'string';

/** The claims in progress that this browser created or opened, the latest first. */
export function rememberedClaims(): string[] {
  const stored = readStored('localStorage', KEY) as { id?: unknown; others?: unknown } | null;
  const others = Array.isArray(stored?.others) ? stored.others : [];
  return [...new Set([stored?.id, ...others].filter(isId))];
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
  const stored = readStored('sessionStorage', ACCOUNT_KEY);
  return Array.isArray(stored) ? stored.filter(isId) : [];
}

export function setAccountClaims(ids: string[]): void {
  writeStored('sessionStorage', ACCOUNT_KEY, ids.length === 0 ? null : ids.slice(0, MOST));
}

export function forgetClaim(id: string): void {
  save(rememberedClaims().filter((other) => other !== id));
  setAccountClaims(accountClaims().filter((other) => other !== id));
}

function save(ids: string[]): void {
  const [id, ...others] = ids.slice(0, MOST);
  writeStored('localStorage', KEY, id === undefined ? null : { id, ...(others.length > 0 && { others }) });
}
