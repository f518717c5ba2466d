import { Check } from '../../../components/Field';
import { Trans } from '../../../i18n/Trans';
import { useT } from '../../../i18n/texts';
import { useRules } from '../../../rules/useRules';
import css from './steps.module.css';

interface Props {
  /** Already given with the claim. */
  given: boolean;
  checked: boolean;
  onChange(checked: boolean): void;
  /** Shows that it is required. */
  missing: boolean;
}

/** The customer's consent to the rules and the AML policy, which open in place. */
export function Consent({ given, checked, onChange, missing }: Props) {
  const t = useT('claim');
  const { links, opened } = useRules();
  return (
    <div className={css.consent}>
      {given ? (
        <p className={css.small}>
          <Trans ns="claim" i18nKey="review.consented" components={links} />
        </p>
      ) : (
        <Check
          label={<Trans ns="claim" i18nKey="review.consent" components={links} />}
          checked={checked}
          error={missing ? t('review.consentMissing') : null}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
      {opened}
    </div>
  );
}
