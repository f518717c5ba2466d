import MenuItem from '@mui/material/MenuItem';
import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput';
import Select from '@mui/material/Select';
import { type ReactNode, useId } from 'react';
import css from './Field.module.css';

type Frame = { label: ReactNode; help?: ReactNode; error?: string };

function Framed({ id, label, help, error, children }: Frame & { id: string; children: ReactNode }) {
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {(error || help) && (
        <p id={`${id}-note`} className={error ? css.error : css.help}>
          {error || help}
        </p>
      )}
    </div>
  );
}

type FieldProps = Frame &
  Omit<OutlinedInputProps, 'label' | 'error' | 'value' | 'onChange'> & {
    value: string;
    onValue: (value: string) => void;
  };

/** A line of text with its label above it and its refusal below. */
export function Field({ label, help, error, value, onValue, inputProps, ...rest }: FieldProps) {
  const id = useId();
  return (
    <Framed id={id} label={label} help={help} error={error}>
      <OutlinedInput
        {...rest}
        id={id}
        fullWidth
        value={value}
        error={Boolean(error)}
        onChange={(event) => onValue(event.target.value)}
        inputProps={{ ...inputProps, 'aria-describedby': error || help ? `${id}-note` : undefined }}
      />
    </Framed>
  );
}

/** A number typed as text: the decimal keyboard on a phone, figures in columns, no spinner. */
export function NumberField(props: FieldProps) {
  return <Field autoComplete="off" {...props} inputProps={{ inputMode: 'decimal', ...props.inputProps }} />;
}

type ChoiceProps<Value extends string> = Frame & {
  value: Value;
  onValue: (value: Value) => void;
  options: { value: Value; label: ReactNode }[];
  disabled?: boolean;
};

/** One of a list. */
export function Choice<Value extends string>({
  label,
  help,
  error,
  value,
  onValue,
  options,
  disabled,
}: ChoiceProps<Value>) {
  const id = useId();
  return (
    <Framed id={id} label={<span id={`${id}-label`}>{label}</span>} help={help} error={error}>
      <Select
        id={id}
        labelId={`${id}-label`}
        fullWidth
        // The empty choice has a label, too.
        displayEmpty={options.some((option) => option.value === '')}
        value={value}
        disabled={disabled}
        error={Boolean(error)}
        onChange={(event) => onValue(event.target.value as Value)}
      >
        {options.map((option) => (
          <MenuItem key={option.value} value={option.value}>
            {option.label}
          </MenuItem>
        ))}
      </Select>
    </Framed>
  );
}
