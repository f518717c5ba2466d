import { readStored, writeStored } from '../browserStorage';

const KEY = 'agio.rid';

interface Saved {
  code: string;
  /** Milliseconds since 1970. */
  until: number;
}

const stored = () => readStored('localStorage', KEY) as Partial<Saved> | null;

/** The code of the first referral link, while it is remembered. */
export function rememberedCode(now = Date.now()): string | undefined {
  const { code, until } = stored() ?? {};
  return typeof code === 'string' && Number(until) > now ? code : undefined;
}

/** Remembers a code for so many days, or longer if it already is, unless another code was first. */
export function rememberCode(code: string, days: number, now = Date.now()): void {
  const first = rememberedCode(now);
  if (first !== undefined && first !== code) return;
  const until = Math.max(now + days * 86_400_000, first === undefined ? 0 : Number(stored()?.until));
  writeStored('localStorage', KEY, { code, until } satisfies Saved);
}
