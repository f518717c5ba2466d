/** One thing wrong with a field. `params` carry the binding limit and its value. */
export interface FieldProblem {
  code: string;
  message: string;
  params?: Record<string, string | number>;
}

/** An answer of application/problem+json. */
export interface Problem {
  status: number;
  title: string;
  detail: string;
  code: string;
  errors?: Record<string, FieldProblem[]>;
  params?: Record<string, string | number>;
  requestId?: string;
}

/** The server answered and said no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly problem: Problem;
  /** Seconds to wait before asking again, when the server names them. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, retryAfter: number | null) {
    super(problem.detail || problem.title);
    this.status = problem.status;
    this.code = problem.code;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** A number or word the server gave with the refusal, from the problem itself or from any of its fields. */
  param(name: string): string | null {
    const own = (this.problem as unknown as Record<string, unknown>)[name];
    const candidates = [
      this.problem.params?.[name],
      typeof own === 'string' || typeof own === 'number' ? own : undefined,
      ...Object.values(this.problem.errors ?? {}).flatMap((list) => list.map((one) => one.params?.[name])),
    ];
    const found = candidates.find((value) => value !== undefined && value !== null);
    return found === undefined ? null : String(found);
  }

  /** The first message for each field, by the field's path. */
  fieldMessages(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.problem.errors ?? {}).flatMap(([field, list]) =>
        list[0] ? [[field, list[0].message] as const] : [],
      ),
    );
  }
}

/** No answer came: the line is down, or the server could not be reached. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** An error a page can't go on with; shown by the error page. */
export class PageError extends Error {
  override readonly name = 'PageError';
  readonly status: number;

  constructor(status: number, text: string, cause?: unknown) {
    super(text, { cause });
    this.status = status;
  }
}

/** Reads an error answer, whatever sent it: a proxy in between may answer with HTML. */
export async function readProblem(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get('Retry-After'));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null;
  const fallback: Problem = {
    status: response.status,
    title: response.statusText,
    detail: '',
    code: `http_${response.status}`,
  };
  try {
    const body = (await response.json()) as Partial<Problem>;
    return new ApiError({ ...fallback, ...body }, retryAfter);
  } catch {
    return new ApiError(fallback, retryAfter);
  }
}

/** What to tell the customer: the server's own words where there are any. */
export function wordsFor(
  error: unknown,
  say: (key: 'error_network' | 'error_wait' | 'error_unknown') => string,
): string {
  if (error instanceof ApiError) {
    if (error.status === 429) {
      return error.problem.detail || say('error_wait');
    }
    return error.problem.detail || error.problem.title || say('error_unknown');
  }
  return error instanceof NetworkError ? say('error_network') : say('error_unknown');
}
