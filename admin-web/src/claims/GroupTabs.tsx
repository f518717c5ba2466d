import { useTexts } from '../ui/index.ts';
import css from './ClaimsQueue.module.css';
import { type ClaimCounts, type ClaimGroup, GROUPS } from './groups.ts';

const countOf = (counts: ClaimCounts, group: ClaimGroup): number =>
  group === 'closed' ? counts.closedToday : counts[group];

/** The look of a tab's number: act, alarm or plain. */
function toneOf(group: ClaimGroup, count: number): string {
  if (count > 0 && group === 'ours') return css.act ?? '';
  if (count > 0 && group === 'disputed') return css.alarm ?? '';
  return '';
}

export function GroupTabs({
  group,
  counts,
  onGroup,
}: {
  /** None while a search goes through all of them. */
  group: ClaimGroup | null;
  counts?: ClaimCounts;
  onGroup: (group: ClaimGroup) => void;
}) {
  const { t } = useTexts();
  return (
    <nav className={css.tabs} aria-label={t('claims.groups')}>
      {GROUPS.map((name) => {
        const count = counts ? countOf(counts, name) : null;
        return (
          <button
            key={name}
            type="button"
            className={css.tab}
            aria-current={name === group}
            onClick={() => onGroup(name)}
          >
            {t(`groups.${name}`)}
            {count !== null && <span className={`${css.count} ${toneOf(name, count)}`}>{count}</span>}
          </button>
        );
      })}
    </nav>
  );
}
