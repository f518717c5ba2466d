/** How far the visitor's clock is behind the server's, in milliseconds. */
let behind = 0;

/** Reads the server's time from the Date header of an answer. */
export function learnServerTime(header: string | null): void {
  const time = header === null ? Number.NaN : Date.parse(header);
  if (Number.isFinite(time)) {
    const difference = time - Date.now();
    // The header has whole seconds and the answer took time: small differences are ignored.
    behind = Math.abs(difference) > 2000 ? difference : 0;
  }
}

/** The server's time in milliseconds: deadlines follow it, not the visitor's clock. */
export function serverNow(): number {
  return Date.now() + behind;
}
