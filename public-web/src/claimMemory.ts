const KEY = 'agio.claim';

export function rememberedClaim(): string | null {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as { id?: unknown } | null;
    return typeof stored?.id === 'string' ? stored.id : null;
  } catch {
    // Storage may be blocked, or hold something else.
    return null;
  }
}

export function rememberClaim(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ id }));
  } catch {
    // Without storage the claim is still reachable by its link.
  }
}

export function forgetClaim(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Without storage nothing was remembered.
  }
}
