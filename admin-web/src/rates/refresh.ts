/** A fault of a source shows up without a click. */
export const REFRESH_MS = 10_000;
