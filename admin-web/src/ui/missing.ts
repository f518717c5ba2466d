import { Problem } from '../api/problem.ts';

/** The refusal of a draft with empty or unreadable fields, shown like that of the server. */
export const missingFields = <Field extends string>(fields: Field[], message: (field: Field) => string): Problem =>
  new Problem(422, {
    code: 'validation_failed',
    errors: Object.fromEntries(fields.map((name) => [name, [{ code: 'required', message: message(name) }]])),
  });
