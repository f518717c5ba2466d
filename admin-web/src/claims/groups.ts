import type { Schema } from '@agio/client/admin';
import type { ClaimRow } from './types.ts';

export type ClaimCounts = Schema<'QueueTabCounts'>;

/** The tabs of the queue: those the server counts, and the closed claims. */
export type ClaimGroup = Exclude<keyof ClaimCounts, 'closedToday'> | 'closed';
export const GROUPS: readonly ClaimGroup[] = ['open', 'ours', 'customer', 'network', 'disputed', 'refunds', 'closed'];
export const groupOf = (text: string | null): ClaimGroup => GROUPS.find((group) => group === text) ?? 'open';

/** A claim that moved between two pages while they were read would appear twice. */
export function distinct(rows: ClaimRow[]): ClaimRow[] {
  const known = new Set<string>();
  return rows.filter((row) => !known.has(row.id) && known.add(row.id));
}
