import type { ClaimRow } from './types.ts';

/** The claim after or before the current one; the first when none is. Stays put at either end. */
export function step(rows: ClaimRow[], current: string | null, by: 1 | -1): string | null {
  const at = rows.findIndex((row) => row.id === current);
  if (at < 0) return rows[0]?.id ?? null;
  return rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.id ?? null;
}

/** The most urgent claim that waits for staff and is not assigned to another staff member. */
export function nextToTake(rows: ClaimRow[], me: ClaimRow['id'] | number | undefined): ClaimRow | null {
  const ours = rows.filter(
    (row) => (row.turn === 'ours' || row.turn === 'trouble') && (row.holder === null || row.holder.id === me),
  );
  return ours.reduce<ClaimRow | null>((first, row) => (!first || row.dueAt < first.dueAt ? row : first), null);
}
