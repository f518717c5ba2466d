import type { Schema } from '@agio/client/admin';

export type DashboardItem = Schema<'DashboardItem'>;

export type SectionName = 'late' | 'soon' | 'later' | 'reserve' | 'details' | 'pair';
export type Section = { name: SectionName; items: DashboardItem[] };

const SOON_MS = 30 * 60_000;
const ORDER: SectionName[] = ['late', 'soon', 'details', 'reserve', 'pair', 'later'];

function sectionOf(item: DashboardItem, now: number): SectionName {
  if (item.kind !== 'claim') return item.kind;
  if (item.dueAt === null) return 'later';
  const left = Date.parse(item.dueAt) - now;
  return left < 0 ? 'late' : left < SOON_MS ? 'soon' : 'later';
}

const due = (item: DashboardItem): number => (item.dueAt ? Date.parse(item.dueAt) : Number.POSITIVE_INFINITY);

/** The items by urgency: late, due within half an hour, blocking the exchange, the rest. */
export function byUrgency(items: DashboardItem[], now: number): Section[] {
  const sorted = [...items].sort((a, b) => compareDue(due(a), due(b)));
  return ORDER.map((name) => ({ name, items: sorted.filter((item) => sectionOf(item, now) === name) })).filter(
    (section) => section.items.length > 0,
  );
}

const compareDue = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
