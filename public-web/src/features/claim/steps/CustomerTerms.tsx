import { useMemo } from 'react';
import type { ClaimForm } from '../../../api/types';
import { Check } from '../../../components/Field';
import { useT } from '../../../i18n/texts';
import { sanitised } from '../../home/notices/sanitise';
import css from './steps.module.css';

interface Props {
  terms: NonNullable<ClaimForm['customerTerms']>;
  checked: boolean;
  onChange(checked: boolean): void;
  /** Shows that it is required. */
  missing: boolean;
}

/** The direction's own terms, in full, and the box that accepts them. */
export function CustomerTerms({ terms: { title, message }, checked, onChange, missing }: Props) {
  const t = useT('claim');
  const text = useMemo(() => sanitised(message), [message]);
  return (
    <section className={css.consent} aria-label={title}>
      <h2 className={css.termsTitle}>{title}</h2>
      <div className={css.termsText}>{text}</div>
      <Check
        label={t('review.customerTerms')}
        checked={checked}
        error={missing ? t('review.customerTermsMissing') : null}
        onChange={(event) => onChange(event.target.checked)}
      />
    </section>
  );
}
