import { type ReactNode, useState } from 'react';
import { Check } from '../../../components/Field';
import { Modal } from '../../../components/Modal';
import { Trans } from '../../../i18n/Trans';
import { type TextKey, useT } from '../../../i18n/texts';
import css from './steps.module.css';

type Text = 'terms' | 'aml';

const POINTS: Readonly<Record<Text, readonly TextKey<'claim'>[]>> = {
  terms: ['terms.points.1', 'terms.points.2', 'terms.points.3', 'terms.points.4', 'terms.points.5', 'terms.points.6'],
  aml: ['aml.points.1', 'aml.points.2', 'aml.points.3', 'aml.points.4'],
};

interface Props {
  /** Given already, with the claim itself. */
  given: boolean;
  checked: boolean;
  onChange(checked: boolean): void;
  /** Says that nothing can begin without it. */
  missing: boolean;
}

/** The customer's consent to the rules and the AML policy, both of which open in place. */
export function Consent({ given, checked, onChange, missing }: Props) {
  const t = useT('claim');
  const [open, setOpen] = useState<Text | null>(null);
  const links = {
    terms: <ReadLink onOpen={() => setOpen('terms')} />,
    aml: <ReadLink onOpen={() => setOpen('aml')} />,
  };
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
      {open !== null && (
        <Modal title={t(`${open}.title`)} button={t(`${open}.close`)} onClose={() => setOpen(null)}>
          <ol className={css.points}>
            {POINTS[open].map((key) => (
              <li key={key}>{t(key)}</li>
            ))}
          </ol>
        </Modal>
      )}
    </div>
  );
}

/** A word inside the sentence that opens its text; a button, so that it neither ticks the box nor leaves the page. */
function ReadLink({ onOpen, children }: { onOpen(): void; children?: ReactNode }) {
  return (
    <button
      type="button"
      className={css.inlineLink}
      onClick={(event) => {
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </button>
  );
}
