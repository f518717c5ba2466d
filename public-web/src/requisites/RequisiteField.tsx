import { useState } from 'react';
import type { RequisiteInput, RequisiteKind } from '../api/types';
import { Field } from '../components/Field';
import { inMask } from './inputMask';
import { typingOf, written } from './typing';
import { useRequisite } from './useRequisite';

interface Props {
  input: Pick<RequisiteInput, 'label' | 'kind' | 'required'> & Partial<Pick<RequisiteInput, 'hint' | 'mask'>>;
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
  input: { label, kind, required, hint, mask },
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
  const formed = (typed: string) => (mask ? inMask(mask, typed) : typed);
  return (
    <Field
      label={label}
      {...typingOf(kind, mask)}
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
      onChange={({ target }) => {
        // Formatted at its end alone: the caret of a correction stays where it is.
        const isAtEnd = target.value.length > value.length && target.selectionEnd === target.value.length;
        onChange(isAtEnd ? formed(target.value) : target.value);
      }}
      onBlur={() => {
        setLeft(value.trim() !== '');
        const final = formed(written(kind, value));
        if (value !== final) {
          onChange(final);
        }
      }}
    />
  );
}
