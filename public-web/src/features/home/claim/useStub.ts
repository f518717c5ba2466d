import { useEffect, useMemo, useState } from 'react';
import type { City, Pair } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { readDraft, saveDraft } from '../../../pair/draft';
import { useChecker } from '../../../requisites/useRequisite';
import { useCustomer } from '../../../session/session';
import { fieldsOf, type StubField } from './fields';

export type Consent = 'terms' | 'ownFunds' | 'keep';

/** The values of the form and their errors. */
export interface Stub {
  fields: StubField[];
  email: string;
  typedIn: (field: StubField) => string;
  consents: Record<Consent, boolean>;
  /** Messages by the server's field names; consents by their own names. */
  errors: Record<string, string>;
  setEmail: (value: string) => void;
  setValue: (field: StubField, value: string) => void;
  setConsent: (consent: Consent, given: boolean) => void;
  setErrors: (errors: Record<string, string>) => void;
  /** Removes the message of a field that changed. */
  clear: (key: string) => void;
  /** Checks everything; gives the messages, empty when the form is valid. */
  validate: () => Promise<Record<string, string>>;
  /** The requisites of one side for the server. */
  requisites: (side: 'from' | 'to') => Record<string, string>;
}

const NO_CONSENTS: Record<Consent, boolean> = { terms: false, ownFunds: false, keep: false };

export function useStub(pair: Pair | null, city: City | null): Stub {
  const t = useT('home');
  const check = useChecker();
  const fields = useMemo(() => (pair ? fieldsOf(pair) : []), [pair]);
  const [values, setValues] = useState<Record<string, string>>({});
  const customer = useCustomer();
  const [typedEmail, setEmail] = useState<string | null>(null);
  // Emails to a customer go to the account's address, unless they type another.
  const email = typedEmail ?? customer?.email ?? '';
  const [consents, setConsents] = useState(NO_CONSENTS);
  const [errors, setErrors] = useState<Record<string, string>>({});

  // After the first render, which has to equal the prerendered HTML.
  useEffect(() => {
    const draft = readDraft();
    setValues((now) => ({ ...draft.values, ...now }));
    setEmail((now) => now ?? draft.email ?? null);
    setConsents((now) => ({ ...now, ...draft.consents }));
  }, []);

  const typedIn = (field: StubField) => values[field.memory] ?? '';
  const clear = (key: string) => setErrors(({ [key]: _, ...rest }) => rest);

  const problemOf = async (field: Pick<StubField, 'kind' | 'required'> & Partial<StubField>, value: string) => {
    if (value.trim() === '') return field.required ? t('fill_in') : null;
    return (await check(field.kind, value, field.beside)).problem;
  };

  const validate = async () => {
    const found: Record<string, string> = {};
    if (pair && pair.cities.length > 0 && city === null) {
      found.city = t('city_missing');
    }
    for (const field of fields) {
      const problem = await problemOf(field, typedIn(field));
      if (problem) {
        found[field.key] = problem;
      }
    }
    const mail = await problemOf({ kind: 'email', required: true }, email);
    if (mail) {
      found.email = mail;
    }
    if (!consents.terms) {
      found.terms = t('consent_needed');
    }
    if (!consents.ownFunds) {
      found.ownFunds = t('consent_needed');
    }
    setErrors(found);
    return found;
  };

  return {
    fields,
    email,
    typedIn,
    consents,
    errors,
    validate,
    setErrors,
    clear,
    setEmail: (value) => {
      setEmail(value);
      saveDraft({ email: value });
      clear('email');
    },
    setValue: (field, value) => {
      setValues((now) => ({ ...now, [field.memory]: value }));
      saveDraft({ values: { ...readDraft().values, [field.memory]: value } });
      clear(field.key);
    },
    setConsent: (consent, given) => {
      setConsents((now) => ({ ...now, [consent]: given }));
      saveDraft({ consents: { ...readDraft().consents, [consent]: given } });
      clear(consent);
    },
    requisites: (side) =>
      Object.fromEntries(
        fields
          .filter((field) => field.side === side && typedIn(field).trim() !== '')
          .map((field) => [field.name, typedIn(field).trim()]),
      ),
  };
}
