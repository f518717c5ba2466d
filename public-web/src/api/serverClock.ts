/** How far the visitor's clock is behind the server's, in milliseconds. */
let behind = 0;

/** Learns the server's time from the Date header of an answer, to the second. */
export function learnServerTime(header: string | null): void {
  const said = header === null ? Number.NaN : Date.parse(header);
  if (Number.isFinite(said)) {
    const difference = said - Date.now();
    // The header is whole seconds and the answer travelled: small differences are noise.
    behind = Math.abs(difference) > 2000 ? difference : 0;
  }
}

/** The server's time in milliseconds: deadlines are the server's, whatever the visitor's clock shows. */
export function serverNow(): number {
  return Date.now() + behind;
}
