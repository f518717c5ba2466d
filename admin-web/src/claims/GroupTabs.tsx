import type { ClaimCounts } from '@agio/client/admin';
import { useWords } from '../ui/useWords.ts';
import css from './Desk.module.css';
import { type ClaimGroup, GROUPS } from './useClaims.ts';

const countOf = (counts: ClaimCounts, group: ClaimGroup): number =>
  group === 'closed' ? counts.closedToday : counts[group];

/** What the number on a tab asks for: to act, to worry, or nothing. */
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
  group: ClaimGroup;
  counts?: ClaimCounts;
  onGroup: (group: ClaimGroup) => void;
}) {
  const { t } = useWords();
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
