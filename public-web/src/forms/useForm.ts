import { ApiError } from '@agio/client/problem';
import { type FormEvent, useRef, useState } from 'react';
import { errorText } from '../api/errors';
import { useT } from '../i18n/texts';

type Values<Name extends string> = Record<Name, string>;
type Messages<Name extends string> = Partial<Record<Name, string>>;

interface Options<Name extends string> {
  initial: Values<Name>;
  optional?: readonly NoInfer<Name>[];
  /** Errors found before submitting; fields without a check are only required. */
  checks?: Partial<Record<Name, (value: string, values: Values<Name>) => string | null>>;
  /** Submits the values. The server's refusals are shown at their fields. */
  send: (values: Values<Name>) => Promise<void>;
  /**
   * Interprets a refusal that names no field: messages for fields, none if it leads elsewhere; null to show it
   * unchanged.
   */
  meaning?: (error: ApiError) => Messages<Name> | null;
}

export interface FieldProps {
  name: string;
  value: string;
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
}

export interface Form<Name extends string> {
  values: Values<Name>;
  field: (name: Name) => FieldProps;
  /** The error of the whole form. */
  failure: string | null;
  busy: boolean;
  submit: (event: FormEvent<HTMLFormElement>) => Promise<void>;
  reset: () => void;
}

/** A small form: values, errors and submitting. */
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
      if (meant) return meant;
      const fields = Object.entries(error.fieldMessages()).filter(([name]) => name in initial);
      if (fields.length > 0) return Object.fromEntries(fields) as Messages<Name>;
    } else {
      console.error(error);
    }
    setFailure(errorText(error, common));
    return {};
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isSending.current) return;
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

/** Once the page shows the errors. */
function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
