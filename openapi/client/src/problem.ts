import type { components } from './generated/public';

type ProblemDocument = components['schemas']['Problem'];
export type FieldProblem = components['schemas']['FieldProblem'];

/** The members of a problem document (RFC 9457); an answer of a proxy in between has a status only. */
export type Problem = Pick<ProblemDocument, 'status' | 'code'> & Partial<ProblemDocument>;

/** The server refused the request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly problem: Problem;
  /** Seconds to wait before the next attempt, when the server names them. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, retryAfter: number | null = null) {
    super(problem.detail || problem.title || '');
    this.status = problem.status;
    this.code = problem.code;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** A parameter of the refusal, from the problem itself or from any of its fields. */
  param(name: string): string | null {
    const fields = Object.values(this.problem.errors ?? {}).flat();
    const all = [this.problem.params, this.problem, ...fields.map(({ params }) => params)] as Record<string, unknown>[];
    const found = all.map((params) => params?.[name]).find((value) => /^(string|number)$/.test(typeof value));
    return found === undefined ? null : String(found);
  }

  /** The messages for each field, by its path. */
  fieldMessages(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.problem.errors ?? {}).map(([field, found]) => [
        field,
        found.map(({ message }) => message).join(' '),
      ]),
    );
  }
}

/** No answer came: the connection is down, or the server could not be reached. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Reads a refusal; a proxy in between may answer with HTML. */
export async function readProblem(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const requestId = headers.get('x-request-id');
  const problem = { status, code: `http_${status}`, ...(requestId && { requestId }), ...(body as Partial<Problem>) };
  return new ApiError(problem, Number(headers.get('Retry-After')) || null);
}
