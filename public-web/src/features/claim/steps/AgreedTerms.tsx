import { useT } from '../../../i18n/texts';
import { useMoment } from '../model/useFormats';
import { useIsOver } from '../ticket/Deadline';
import type { StepProps } from './parts';
import css from './steps.module.css';

/** After "I have paid", or without it in time: until when the agreed rate holds, what follows then, and when the claim expires. */
export function AgreedTerms({ claim: { form, status } }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const when = useMoment();
  const { termsEnd, claimEndsAt } = status;
  const isOver = useIsOver(termsEnd);
  const ends = form.from.kind === 'cash' ? 'meeting.claimEnds' : 'agreed.claimEnds';
  return (
    <>
      {termsEnd !== null && (
        <p className={css.text}>{t(isOver ? 'agreed.over' : 'agreed.until', { time: when(termsEnd) })}</p>
      )}
      {claimEndsAt !== null && <p className={css.text}>{t(ends, { time: when(claimEndsAt) })}</p>}
    </>
  );
}
