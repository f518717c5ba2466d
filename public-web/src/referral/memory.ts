const KEY = 'agio.rid';

interface Saved {
  code: string;
  /** Milliseconds since 1970. */
  until: number;
}

function stored(): Partial<Saved> | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Saved> | null;
  } catch {
    return null;
  }
}

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
  try {
    localStorage.setItem(KEY, JSON.stringify({ code, until } satisfies Saved));
  } catch {
    // Without storage the referral is lost.
  }
}
