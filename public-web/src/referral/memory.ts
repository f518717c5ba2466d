const KEY = 'agio.rid';

/** The code this browser came by, and until when it is remembered. */
interface Kept {
  code: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** The code of the first link this browser came by, while it is remembered. */
export function rememberedCode(now = Date.now()): string | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Kept> | null;
    return typeof kept?.code === 'string' && Number(kept.until) > now ? kept.code : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a code for so many days, unless another came first. */
export function rememberCode(code: string, days: number, now = Date.now()): void {
  if (rememberedCode(now) !== undefined) {
    return;
  }
  try {
    localStorage.setItem(KEY, JSON.stringify({ code, until: now + days * 86_400_000 } satisfies Kept));
  } catch {
    // Without storage the link brings nobody.
  }
}
