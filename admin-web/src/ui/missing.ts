import { Problem } from '../api/problem.ts';

/** The refusal of a draft with empty fields, shown like that of the server. */
export const missingFields = (fields: string[], message: string): Problem =>
  new Problem(422, {
    code: 'validation_failed',
    errors: Object.fromEntries(fields.map((name) => [name, [{ code: 'required', message }]])),
  });
