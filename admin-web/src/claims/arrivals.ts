import type { ClaimRow } from './types.ts';

/**
 * Claims that were created while this page is open and were not opened yet. The newest claim of the first list sets the
 * mark. The server's own times are compared, so clocks need not agree.
 */
export class Arrivals {
  private mark: number | null = null;
  private readonly opened = new Set<string>();

  /** The first rows are not new. */
  begin(rows: ClaimRow[]): void {
    this.mark ??= rows.reduce((newest, row) => Math.max(newest, Date.parse(row.createdAt)), 0);
  }

  isNew(row: ClaimRow): boolean {
    return this.mark !== null && !this.opened.has(row.id) && Date.parse(row.createdAt) > this.mark;
  }

  open(id: string): void {
    this.opened.add(id);
  }
}

/** One for the page, so that it outlives a visit to another screen. */
export const arrivals = new Arrivals();
