import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx';
import styles from './Field.module.css';
import { Icon } from './Icon';

interface FieldProps extends ComponentProps<'input'> {
  label: ReactNode;
  /** Why the value is refused. */
  error?: string | null | undefined;
  /** Gives way to an error. */
  hint?: ReactNode;
  /** How to fill the field in. Stays beside an error. */
  help?: string | null | undefined;
  verified?: boolean | undefined;
}

export function Field({ label, error, hint, help, verified, className, id, ...input }: FieldProps) {
  const own = useId();
  const inputId = id ?? own;
  const helpId = `${inputId}-help`;
  const noteId = `${inputId}-note`;
  const notes = [help ? helpId : '', error || hint ? noteId : ''].filter((note) => note !== '');
  return (
    <div className={cx(styles.field, className)}>
      <label className={styles.label} htmlFor={inputId}>
        {label}
      </label>
      <div className={styles.wrap}>
        <input
          {...input}
          id={inputId}
          className={styles.input}
          aria-invalid={error ? true : undefined}
          aria-describedby={notes.join(' ') || undefined}
        />
        {error ? <Icon name="alert" className={cx(styles.mark, styles.bad)} /> : null}
        {!error && verified ? <Icon name="check" className={cx(styles.mark, styles.good)} /> : null}
      </div>
      {help ? (
        <p id={helpId} className={styles.note}>
          {help}
        </p>
      ) : null}
      <div id={noteId} aria-live="polite">
        {error ? <p className={cx(styles.note, styles.bad)}>{error}</p> : null}
        {!error && hint ? <p className={styles.note}>{hint}</p> : null}
      </div>
    </div>
  );
}

interface TextAreaProps extends ComponentProps<'textarea'> {
  label: ReactNode;
  error?: string | null | undefined;
  hint?: ReactNode;
}

/** A labelled text area. */
export function TextArea({ label, error, hint, id, ...area }: TextAreaProps) {
  const own = useId();
  const inputId = id ?? own;
  const noteId = `${inputId}-note`;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={inputId}>
        {label}
      </label>
      <textarea
        {...area}
        id={inputId}
        className={cx(styles.input, styles.area)}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? noteId : undefined}
      />
      <div id={noteId} aria-live="polite">
        {error ? <p className={cx(styles.note, styles.bad)}>{error}</p> : null}
        {!error && hint ? <p className={styles.note}>{hint}</p> : null}
      </div>
    </div>
  );
}

interface CheckProps extends ComponentProps<'input'> {
  label: ReactNode;
  error?: string | null | undefined;
}

/** A labelled checkbox. */
export function Check({ label, error, id, ...input }: CheckProps) {
  const own = useId();
  const inputId = id ?? own;
  const noteId = `${inputId}-note`;
  return (
    <div>
      <label className={styles.check} htmlFor={inputId}>
        <input
          {...input}
          id={inputId}
          type="checkbox"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? noteId : undefined}
        />
        <span>{label}</span>
      </label>
      <p id={noteId} className={cx(styles.note, styles.bad)} aria-live="polite">
        {error}
      </p>
    </div>
  );
}
