import type { ClaimState, ClaimStatus } from '../../../api/types';
import { useT } from '../../../i18n/texts';
import { besideExchange } from '../../../openClaims/progress';
import { PRESENTATIONS } from '../model/presentation';
import { useMoment } from '../model/useFormats';
import css from './Timeline.module.css';

/** Whether the claim went on after a hold where it was before. */
const isReleased = (steps: ClaimStatus['steps'], index: number): boolean =>
  index >= 2 && steps[index - 1]?.status === 'on_hold' && steps[index - 2]?.status === steps[index]?.status;

/** What came back and made a refund due once more; null where it was agreed. */
const cameBack = (steps: ClaimStatus['steps'], index: number): 'refund_returned' | 'payout_returned' | null => {
  if (steps[index]?.status !== 'refund_pending') return null;
  const before = steps[index - 1]?.status;
  if (before === 'completed') return 'payout_returned';
  return before === 'refund_sent' ? 'refund_returned' : null;
};

/** What has happened to the claim and when. Closed while the customer has something to do. */
export function Timeline({ status: { status, steps, surplus, refund } }: { status: ClaimStatus }) {
  const t = useT('claim');
  const when = useMoment();
  if (steps.length < 2) return null;
  // What was returned beside an exchange is no refund of it.
  const shown = (status === 'completed' ? refund : surplus) === null ? (state: ClaimState) => state : besideExchange;
  const event = (index: number, state: ClaimState) =>
    isReleased(steps, index) ? 'released' : (cameBack(steps, index) ?? shown(state));
  return (
    <details className={css.timeline} open={PRESENTATIONS[status].tone !== 'act'}>
      <summary>{t('timeline')}</summary>
      <ol>
        {steps.map((step, index) => (
          <li key={step.at + step.status}>
            <time dateTime={step.at}>{when(step.at)}</time>
            <span>{t(`timeline.${event(index, step.status)}`)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
