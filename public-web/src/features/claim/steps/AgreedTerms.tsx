import { useT } from '../../../i18n/texts';
import { useMoment } from '../model/useFormats';
import { useRemaining } from '../ticket/Deadline';
import type { StepProps } from './parts';
import css from './steps.module.css';

/** After "I have paid": until when the agreed rate holds, what follows then, and when the claim expires. */
export function AgreedTerms({ claim: { form, status } }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const when = useMoment();
  const { termsEnd, claimEndsAt } = status;
  return (
    <>
      {termsEnd !== null && <RateHeld until={termsEnd} minutes={form.hold} />}
      {claimEndsAt !== null && <p className={css.text}>{t('agreed.claimEnds', { time: when(claimEndsAt) })}</p>}
    </>
  );
}

function RateHeld({ until, minutes }: { until: string; minutes: number }) {
  const t = useT('claim');
  const when = useMoment();
  const { urgency } = useRemaining(until, minutes);
  return <p className={css.text}>{t(urgency === 'over' ? 'agreed.over' : 'agreed.until', { time: when(until) })}</p>;
}
