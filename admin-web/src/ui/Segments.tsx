import type { ReactNode } from 'react';
import css from './Segments.module.css';

type Option<Value> = { value: Value; label: ReactNode; title?: string };

/** A few choices side by side, one of them selected, which is shown in ink, not in yellow. */
export function Segments<Value extends string>({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: Value;
  options: Option<Value>[];
  onValue: (value: Value) => void;
}) {
  return (
    <fieldset className={css.segments}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className={css.option}
          aria-pressed={option.value === value}
          aria-label={option.title}
          title={option.title}
          onClick={() => onValue(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
