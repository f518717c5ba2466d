/** No live event announces changes of account verifications. */
export const REFRESH_MS = 15_000;
