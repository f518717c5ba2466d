import type { ClaimRow } from './types.ts';

/** The claim after or before the current one; the first when none is. Stays put at either end. */
export function step(rows: ClaimRow[], current: string | null, by: 1 | -1): string | null {
  const at = rows.findIndex((row) => row.id === current);
  if (at < 0) return rows[0]?.id ?? null;
  return rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.id ?? null;
}

/**
 * The claims that wait for staff and are not assigned to another staff member, the most urgent first. Who leaves such a
 * claim open goes on with those that nobody has, and only then with more of their own.
 */
export function toTake(
  rows: ClaimRow[],
  me: ClaimRow['id'] | number | undefined,
  open: string | null = null,
): ClaimRow[] {
  const ours = rows.filter(
    (row) => (row.turn === 'ours' || row.turn === 'trouble') && (row.holder === null || row.holder.id === me),
  );
  const sorted = ours.sort((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt));
  if (!sorted.some((row) => row.id === open)) return sorted;
  const others = sorted.filter((row) => row.id !== open);
  return [...others.filter((row) => row.holder === null), ...others.filter((row) => row.holder !== null)];
}
