import type { AdminPaths, Schema } from '@agio/client/admin';
import { shortId } from '../ui/things.ts';

type AuditQuery = NonNullable<AdminPaths['/audit']['get']['parameters']['query']>;

/** The filters in the address, so that a link can set them. */
export const PARTS = ['actorKind', 'actorId', 'action', 'aboutKind', 'aboutId', 'from', 'to'] as const;
export type Part = (typeof PARTS)[number];
export type Filters = Partial<Record<Part, string>>;

export const ACTORS = ['staff', 'customer', 'guest', 'system'];
export const THINGS = [
  'claim',
  'requisite',
  'pair',
  'currency',
  'reserve',
  'setting',
  'approval',
  'mail',
  'rates',
  'discounts',
  'promo',
  'staff',
  'customer',
];

export function filtersOf(params: URLSearchParams): Filters {
  const given = PARTS.map((part) => [part, params.get(part) ?? ''] as const).filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}

/** The filters with one of them changed. An identifier means nothing without its kind. */
export function withPart(filters: Filters, part: Part, value: string): Filters {
  const rest: Filters = { ...filters };
  delete rest[part];
  if (part === 'aboutKind') delete rest.aboutId;
  if (part === 'actorKind') delete rest.actorId;
  return value === '' ? rest : { ...rest, [part]: value };
}

/** A day as it is picked, at its beginning in the reader's own time. */
const startOf = (day: string): Date => new Date(`${day}T00:00:00`);

/** The filters as the API takes them: the last day is meant whole. */
export function queryOf(filters: Filters): AuditQuery {
  const { from, to, ...rest } = filters;
  const end = to ? startOf(to) : null;
  end?.setDate(end.getDate() + 1);
  return { ...rest, from: from ? startOf(from).toISOString() : undefined, to: end?.toISOString() } as AuditQuery;
}

type StaffName = { id: string; name: string };

/**
 * The staff members to filter by: all of them, where the reader may see the staff, and besides those on the screen and
 * the one in the filter.
 */
export function staffOf(
  staff: StaffName[],
  entries: Pick<Schema<'AuditEntryView'>, 'actor'>[],
  filter?: string,
): StaffName[] {
  const names = new Map<string, string>();
  for (const { actor } of entries) {
    if (actor.id && actor.kind === 'staff') names.set(actor.id, actor.name || shortId(actor.id));
  }
  for (const { id, name } of staff) names.set(id, name);
  if (filter && !names.has(filter)) names.set(filter, shortId(filter));
  return [...names].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
}
