import type { ClaimRow } from '@agio/client/admin';

/**
 * Which claims came while this page was open and nobody has looked at yet. The first list read sets the mark: what was
 * made after the newest claim in it has arrived. The server's own times are compared, so clocks need not agree.
 */
export class Arrivals {
  private mark: number | null = null;
  private readonly seen = new Set<string>();

  /** The first rows ever shown are no news. */
  begin(rows: ClaimRow[]): void {
    this.mark ??= rows.reduce((newest, row) => Math.max(newest, Date.parse(row.createdAt)), 0);
  }

  isNew(row: ClaimRow): boolean {
    return this.mark !== null && !this.seen.has(row.id) && Date.parse(row.createdAt) > this.mark;
  }

  open(id: string): void {
    this.seen.add(id);
  }
}

/** One for the page: going to another screen and back makes nothing old. */
export const arrivals = new Arrivals();
