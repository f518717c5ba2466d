import { ApiError, NetworkError } from '@agio/client/problem';

/** An error a page cannot go on with; shown by the error page. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;

  constructor(status: number, text: string, cause?: unknown) {
    super(text, { cause });
    this.status = status;
  }
}

/** What to show the customer: the server's own text where there is one. */
export function errorText(
  error: unknown,
  t: (key: 'error_network' | 'error_wait' | 'error_unknown') => string,
): string {
  if (error instanceof ApiError) {
    const { status, problem } = error;
    return problem.detail || (status === 429 ? t('error_wait') : problem.title || t('error_unknown'));
  }
  return t(error instanceof NetworkError ? 'error_network' : 'error_unknown');
}
