/** The claim in progress, remembered in this browser. */
const KEY = 'agio.claim';

/** The id of the claim in progress, or null. */
export function rememberedClaim(): string | null {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? 'null') as { id?: unknown } | null;
    return typeof stored?.id === 'string' ? stored.id : null;
  } catch {
    // Storage may be closed to the page, or hold something else's value.
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
    // Nothing was remembered, then.
  }
}
