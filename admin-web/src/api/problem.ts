/** An error of the API as RFC 9457 describes it. */

export type FieldError = { code: string; message: string; params?: Record<string, unknown> };
type ProblemBody = {
  status?: number;
  title?: string;
  detail?: string;
  code?: string;
  params?: Record<string, unknown>;
  errors?: Record<string, FieldError[]>;
  requestId?: string;
};

export class Problem extends Error {
  /** The HTTP status, 0 when there was no answer at all. */
  readonly status: number;
  /** The stable code: `claim_changed`, `token_not_valid`; `offline`, `not_sent` and `unanswered` are the console's own. */
  readonly code: string;
  readonly params: Record<string, unknown>;
  /** Messages per field of the request, by its path. */
  readonly fields: Record<string, string>;
  /** The same with their codes and parameters. */
  readonly errors: Record<string, FieldError[]>;
  readonly requestId: string | null;

  constructor(status: number, body: ProblemBody) {
    super(body.detail || body.title || '');
    this.name = 'Problem';
    this.status = status;
    this.code = body.code ?? `http_${status}`;
    this.params = body.params ?? {};
    this.errors = body.errors ?? {};
    this.fields = fieldMessages(this.errors);
    this.requestId = body.requestId ?? null;
  }
}

function fieldMessages(errors: Record<string, FieldError[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([field, found]) => [field, found.map((error) => error.message).join(' ')]),
  );
}

/** The problem of a response; a response that is no problem document becomes one as well. */
export async function problemOf(answer: Response): Promise<Problem> {
  const text = await answer.text().catch(() => '');
  const body = parse(text);
  const requestId = body.requestId ?? answer.headers.get('x-request-id') ?? undefined;
  return new Problem(answer.status, { ...body, requestId });
}

function parse(text: string): ProblemBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as ProblemBody) : {};
  } catch {
    return {};
  }
}

/** The problem of a call without a response. */
export const offline = () => new Problem(0, { code: 'offline' });

/** The problem of a change while the browser has no network. */
export const notSent = () => new Problem(0, { code: 'not_sent' });

/** The problem of a change without a response: it may have been made. */
export const unanswered = () => new Problem(0, { code: 'unanswered' });

export const isProblem = (error: unknown): error is Problem => error instanceof Problem;

type Translate = (key: string, options?: Record<string, unknown>) => string;

/**
 * The message of any error. The server's own comes first, in the requested language; the console has texts only for
 * errors without one.
 */
export function messageOf(error: unknown, translate: Translate): string {
  if (!isProblem(error)) {
    return translate('error.unexpected');
  }
  if (error.code === 'offline') {
    return translate('error.offline');
  }
  if (error.code === 'not_sent') {
    return translate('error.notSent');
  }
  if (error.code === 'unanswered') {
    return translate('error.unanswered');
  }
  return error.message || translate(error.status >= 500 ? 'error.server' : 'error.refused');
}

/** The messages of fields, by paths such as `fees.from.fixed`. */
export const fieldsOf = (error: unknown): Record<string, string> => (isProblem(error) ? error.fields : {});
