import type { AuditEntry, AuditQuery, Colleague } from '@agio/client/admin';
import { shortId } from '../ui/things.ts';

/** The parts of the question that stand in the address, so that a link can ask. */
export const PARTS = ['actorKind', 'actorId', 'action', 'aboutKind', 'aboutId', 'from', 'to'] as const;
export type Part = (typeof PARTS)[number];
export type Filters = Partial<Record<Part, string>>;

export const ACTORS = ['staff', 'customer', 'guest', 'house'];
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

/** The same question with one part changed. Which one of a kind of thing means nothing without the kind. */
export function withPart(filters: Filters, part: Part, value: string): Filters {
  const rest: Filters = { ...filters };
  delete rest[part];
  if (part === 'aboutKind') delete rest.aboutId;
  if (part === 'actorKind') delete rest.actorId;
  return value === '' ? rest : { ...rest, [part]: value };
}

/** A day as it is picked, at its beginning in the reader's own time. */
const startOf = (day: string): Date => new Date(`${day}T00:00:00`);

/** The question as the API takes it: the last day is meant whole. */
export function queryOf(filters: Filters, cursor?: string): AuditQuery {
  const { from, to, ...rest } = filters;
  const end = to ? startOf(to) : null;
  end?.setDate(end.getDate() + 1);
  return { ...rest, from: from ? startOf(from).toISOString() : undefined, to: end?.toISOString(), cursor };
}

type Person = { id: string; name: string };

/**
 * Whom one can ask for: everybody who works here, where the reader may know that, and whoever else is on the screen or asked for
 * already, such as a colleague seen by their entries alone.
 */
export function peopleOf(
  staff: Pick<Colleague, 'id' | 'name'>[],
  entries: Pick<AuditEntry, 'actor'>[],
  asked?: string,
): Person[] {
  const names = new Map<string, string>();
  for (const { actor } of entries) {
    if (actor.id && actor.kind === 'staff') names.set(actor.id, actor.name || shortId(actor.id));
  }
  for (const { id, name } of staff) names.set(id, name);
  if (asked && !names.has(asked)) names.set(asked, shortId(asked));
  return [...names].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name));
}
