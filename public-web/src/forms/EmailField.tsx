import type { ComponentProps } from 'react';
import { Field } from '../components/Field';

/** A required email address. */
export function EmailField(field: ComponentProps<typeof Field>) {
  return <Field {...field} type="email" inputMode="email" aria-required="true" />;
}
