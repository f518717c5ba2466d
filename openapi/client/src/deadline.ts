/** Milliseconds within which an answer has to be there whole. */
export const PATIENCE = 60_000;

/** The same for files, in either direction. */
export const PATIENCE_WITH_FILES = 300_000;

/**
 * Makes a request whose signal is aborted after so many milliseconds, or with the caller's. The answer is to be read
 * within: a server may hang in the middle of it. Not `AbortSignal.any`, which Safari 16 does not know.
 */
export async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | null | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const pass = () => deadline.abort(signal?.reason);
  if (signal?.aborted) pass();
  signal?.addEventListener('abort', pass, { once: true });
  const timer = setTimeout(() => deadline.abort(new DOMException('No answer in time', 'TimeoutError')), milliseconds);
  try {
    return await run(deadline.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', pass);
  }
}

/** An answer that has come whole. */
export async function whole(answer: Response): Promise<Response> {
  const { status, statusText, headers } = answer;
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}
