import { type ComponentProps, useState } from 'react';
import { Field } from '../components/Field';
import { useRequisite } from '../requisites/useRequisite';

interface Props extends Omit<ComponentProps<typeof Field>, 'onChange'> {
  value: string;
  onChange: (event: { target: { value: string } }) => void;
}

/** A field for an email address, which is required. Once it was left, it offers the domain that was probably meant. */
export function EmailField({ value, hint, onChange, ...field }: Props) {
  const [left, setLeft] = useState('');
  const suggestion = useRequisite('email', left)?.suggestion;
  return (
    <Field
      type="email"
      inputMode="email"
      autoComplete="email"
      aria-required="true"
      {...field}
      value={value}
      spellCheck={false}
      autoCapitalize="none"
      hint={
        suggestion && left === value ? (
          <button type="button" className="linkbtn" onClick={() => onChange({ target: { value: suggestion.value } })}>
            {suggestion.text}
          </button>
        ) : (
          hint
        )
      }
      onChange={onChange}
      onBlur={() => setLeft(value)}
    />
  );
}
