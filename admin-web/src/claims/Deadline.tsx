import { useNow } from '../ui/clock.ts';
import { useTexts } from '../ui/index.ts';
import css from './ClaimPanel.module.css';
import { deadlineOf, movementOf } from './deadline.ts';
import type { Claim, ClaimState } from './types.ts';

/** States in which the payment is not decided yet. */
const OPEN: ClaimState[] = [
  'awaiting_payment',
  'payment_claimed',
  'payment_seen',
  'amount_mismatch',
  'late_payment',
  'on_hold',
];

/** Whether the payment was in time for the agreed rate, and how far the rate has moved since. Without `always` only a late payment is shown. */
export function Deadline({ claim, always }: { claim: Claim; always?: boolean }) {
  const { t, percentText, dateTimeText } = useTexts();
  const now = useNow();
  const { terms } = claim;
  const deadline = terms && deadlineOf(terms);
  if (!terms || !deadline || !(always || (OPEN.includes(claim.status) && deadline !== 'in_time'))) return null;
  const moment = (at: string) => dateTimeText(at, now);
  const text = t(`deadline.${deadline}`, { end: moment(terms.end), at: terms.paidAt ? moment(terms.paidAt) : '' });
  if (deadline === 'in_time') return <p className={css.inTime}>{text}</p>;
  const percent = terms.movedPercent === null ? '' : signed(percentText(terms.movedPercent));
  return (
    <p className={terms.withinTolerance ? css.overdue : css.overdueFar}>
      {text} {t(`deadline.moved.${movementOf(terms)}`, { percent })}
    </p>
  );
}

const signed = (amount: string) => (/^[+\u2212]/.test(amount) ? amount : `+${amount}`);
