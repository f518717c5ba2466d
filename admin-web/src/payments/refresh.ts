/** New blocks and faults show up without a click. */
export const REFRESH_MS = 10_000;
