import { type FormEvent, useRef, useState } from 'react';
import { ApiError, wordsFor } from '../api/errors';
import { useT } from '../i18n/texts';

type Values<Name extends string> = Record<Name, string>;
type Messages<Name extends string> = Partial<Record<Name, string>>;

interface Options<Name extends string> {
  initial: Values<Name>;
  /** Fields that may stay empty. */
  optional?: readonly NoInfer<Name>[];
  /** What is wrong with a value, before anybody is asked; a field that is missing here is only required. */
  checks?: Partial<Record<Name, (value: string, values: Values<Name>) => string | null>>;
  /** Sends the values. What the server refuses is shown at its fields. */
  send: (values: Values<Name>) => Promise<void>;
  /** Takes a refusal that names no field: what it says of which, nothing if it leads elsewhere; null to show it as it is. */
  meaning?: (error: ApiError) => Messages<Name> | null;
}

/** What a field of a form is given. */
export interface FieldProps {
  name: string;
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}

export interface Form<Name extends string> {
  values: Values<Name>;
  field: (name: Name) => FieldProps;
  /** What went wrong with the form as a whole. */
  failure: string | null;
  busy: boolean;
  submit: (event: FormEvent<HTMLFormElement>) => Promise<void>;
  /** Empties the form. */
  reset: () => void;
}

/** A small form: its values, what is wrong with them, the sending. */
export function useForm<Name extends string>({
  initial,
  optional = [],
  checks = {},
  send,
  meaning,
}: Options<Name>): Form<Name> {
  const common = useT('common');
  const t = useT('account');
  const names = Object.keys(initial) as Name[];
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Messages<Name>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const isSending = useRef(false);

  const check = (): Messages<Name> => {
    const found: Messages<Name> = {};
    for (const name of names) {
      const isEmpty = values[name].trim() === '';
      const problem = isEmpty && !optional.includes(name) ? t('fill_in') : checks[name]?.(values[name], values);
      if (problem) found[name] = problem;
    }
    return found;
  };

  const refused = (error: unknown): Messages<Name> => {
    if (error instanceof ApiError) {
      const meant = meaning?.(error);
      if (meant) {
        return meant;
      }
      const fields = Object.entries(error.fieldMessages()).filter(([name]) => name in initial);
      if (fields.length > 0) {
        return Object.fromEntries(fields) as Messages<Name>;
      }
    } else {
      console.error(error);
    }
    setFailure(wordsFor(error, common));
    return {};
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isSending.current) {
      return;
    }
    setFailure(null);
    let found = check();
    if (Object.keys(found).length === 0) {
      isSending.current = true;
      setBusy(true);
      try {
        await send(values);
      } catch (error) {
        found = refused(error);
      } finally {
        isSending.current = false;
        setBusy(false);
      }
    }
    setErrors(found);
    if (Object.keys(found).length > 0) {
      focusFirstError(form);
    }
  };

  return {
    values,
    failure,
    busy,
    submit,
    reset: () => {
      setValues(initial);
      setErrors({});
      setFailure(null);
    },
    field: (name) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: ({ target }) => {
        setValues((now) => ({ ...now, [name]: target.value }));
        setErrors(({ [name]: _, ...rest }) => rest as Messages<Name>);
      },
    }),
  };
}

/** After the page has shown what is wrong. */
function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
