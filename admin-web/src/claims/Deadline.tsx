import type { Claim } from '@agio/client/admin';
import { useNow } from '../ui/clock.ts';
import { amountText, momentText } from '../ui/format.ts';
import { useWords } from '../ui/useWords.ts';
import css from './ClaimPanel.module.css';
import { deadlineOf, movementOf } from './deadline.ts';

/** States in which somebody still decides about the payment. */
const OPEN = ['awaiting_payment', 'payment_claimed', 'payment_seen', 'amount_mismatch', 'late_payment', 'on_hold'];

/** Whether the rate was still promised when the money came, and how far it has moved since. Without `asked` only what is wrong is said. */
export function Deadline({ claim, asked }: { claim: Claim; asked?: boolean }) {
  const { t, language } = useWords();
  const now = useNow();
  const { terms } = claim;
  const said = terms && deadlineOf(terms);
  if (!terms || !said || !(asked || (OPEN.includes(claim.status) && said !== 'in_time'))) return null;
  const moment = (at: string) => momentText(at, language, now);
  const words = t(`deadline.${said}`, { end: moment(terms.end), at: terms.paidAt ? moment(terms.paidAt) : '' });
  if (said === 'in_time') return <p className={css.inTime}>{words}</p>;
  const percent = terms.movedPercent === null ? '' : signed(amountText(terms.movedPercent, language));
  return (
    <p className={terms.withinTolerance ? css.overdue : css.overdueFar}>
      {words} {t(`deadline.moved.${movementOf(terms)}`, { percent })}
    </p>
  );
}

const signed = (amount: string) => (/^[+\u2212]/.test(amount) ? amount : `+${amount}`);
