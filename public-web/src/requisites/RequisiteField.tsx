import { useState } from 'react';
import type { RequisiteInput, RequisiteKind } from '../api/types';
import { Field } from '../components/Field';
import { typingOf, written } from './typing';
import { useRequisite } from './useRequisite';

interface Props {
  input: Pick<RequisiteInput, 'label' | 'kind' | 'required'> & Partial<Pick<RequisiteInput, 'hint'>>;
  /** The name in the server's errors. */
  name: string;
  value: string;
  /** The kinds of the form's fields on the same side: a memo depends on the address. */
  beside?: RequisiteKind[];
  placeholder?: string | undefined;
  /** A known error; the live check's result is shown once the field was left. */
  error: string | null | undefined;
  onChange: (value: string) => void;
}

/** A field for a requisite: with a fitting keyboard, formatted when it is left, and checked live. */
export function RequisiteField({
  input: { label, kind, required, hint },
  name,
  value,
  beside,
  placeholder,
  error,
  onChange,
}: Props) {
  const checked = useRequisite(kind, value, beside);
  const [left, setLeft] = useState(false);
  const suggestion = left ? checked?.suggestion : null;
  return (
    <Field
      label={label}
      {...typingOf(kind)}
      name={name}
      value={value}
      placeholder={placeholder}
      help={hint}
      error={error ?? (left ? checked?.problem : null)}
      hint={
        suggestion ? (
          <button type="button" className="linkbtn" onClick={() => onChange(suggestion.value)}>
            {suggestion.text}
          </button>
        ) : null
      }
      verified={checked?.verified}
      spellCheck={false}
      autoCapitalize="none"
      aria-required={required}
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => {
        setLeft(value.trim() !== '');
        if (value !== written(kind, value)) {
          onChange(written(kind, value));
        }
      }}
    />
  );
}
