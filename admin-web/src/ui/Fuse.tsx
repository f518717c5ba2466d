import { useNow } from './clock.ts';
import css from './Fuse.module.css';
import { fuseText } from './format.ts';
import { urgencyOf } from './urgency.ts';
import { useTexts } from './useTexts.ts';

/** Time left until `dueAt` and the hairline that burns down from `since`. */
export function Fuse({ dueAt, since, large }: { dueAt: string; since: string; large?: boolean }) {
  const { t, language } = useTexts();
  const now = useNow();
  const due = Date.parse(dueAt);
  const urgency = urgencyOf(due - now);
  const whole = Math.max(1, due - Date.parse(since));
  const left = urgency === 'late' ? 1 : Math.min(1, Math.max(0.02, (due - now) / whole));
  return (
    <span className={`${css.fuse} ${css[urgency]} ${large ? css.large : ''}`}>
      <span className={css.time}>{fuseText(due - now, language)}</span>
      {urgency === 'late' && <span className="visually-hidden"> {t('claims.late')}</span>}
      <span className={css.track} aria-hidden="true">
        <span className={css.left} style={{ width: `${left * 100}%` }} />
      </span>
    </span>
  );
}
