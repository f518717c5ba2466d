import type { ClaimRow } from './types.ts';

/** The claim after or before the current one; the first when none is. Stays put at either end. */
export function step(rows: ClaimRow[], current: string | null, by: 1 | -1): string | null {
  const at = rows.findIndex((row) => row.id === current);
  if (at < 0) return rows[0]?.id ?? null;
  return rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.id ?? null;
}

/** The claims that wait for staff and are not assigned to another staff member, the most urgent first. */
export function toTake(rows: ClaimRow[], me: ClaimRow['id'] | number | undefined): ClaimRow[] {
  const ours = rows.filter(
    (row) => (row.turn === 'ours' || row.turn === 'trouble') && (row.holder === null || row.holder.id === me),
  );
  return ours.sort((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt));
}
