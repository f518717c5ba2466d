const KEY = 'agio.rid';

/** The code this browser came by, and until when it is remembered. */
interface Kept {
  code: string;
  /** Milliseconds since 1970. */
  until: number;
}

function kept(): Partial<Kept> | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Kept> | null;
  } catch {
    return null;
  }
}

/** The code of the first link this browser came by, while it is remembered. */
export function rememberedCode(now = Date.now()): string | undefined {
  const { code, until } = kept() ?? {};
  return typeof code === 'string' && Number(until) > now ? code : undefined;
}

/** Remembers a code for so many days, or for longer if it already is, unless another came first. */
export function rememberCode(code: string, days: number, now = Date.now()): void {
  const first = rememberedCode(now);
  if (first !== undefined && first !== code) {
    return;
  }
  const until = Math.max(now + days * 86_400_000, first === undefined ? 0 : Number(kept()?.until));
  try {
    localStorage.setItem(KEY, JSON.stringify({ code, until } satisfies Kept));
  } catch {
    // Without storage the link brings nobody.
  }
}
