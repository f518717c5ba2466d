import type { DataProvider, GetListParams, Identifier, RaRecord } from 'react-admin';
import { api } from './api.ts';

/**
 * The console's API as react-admin resources. A resource is named by its path below the root (`partners`,
 * `referral/withdrawals`). Lists come whole or in pages with a cursor; filters are the query.
 */
type Row = Record<string, unknown>;
type Page = { items: Row[]; nextCursor?: string | null };
type Call = (path: string, init?: object) => Promise<{ data?: unknown }>;

const { GET, POST, PATCH, DELETE } = api as unknown as Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Call>;

/** The identifier of the records of a resource where it is not `id`. */
const IDENTIFIERS: Record<string, (row: Row) => unknown> = {
  reserves: (row) => row.currencyId,
  plugins: (row) => row.name,
  'rates/sources': (row) => row.name,
  'rates/suspensions': (row) => row.pairId,
  'discounts/promos': (row) => row.code,
  'discounts/customers': (row) => row.customerId ?? row.email,
  'staff/roles': (row) => row.name,
};

/** The cursors of a list's later pages, by the question. react-admin counts pages and reads them in their order. */
const cursors = new Map<string, string[]>();

async function getList(resource: string, { pagination, filter, signal }: GetListParams & { signal?: AbortSignal }) {
  const page = pagination?.page ?? 1;
  const question = JSON.stringify([resource, filter]);
  const known = page === 1 ? [] : (cursors.get(question) ?? []);
  const { data } = await GET(`/${resource}`, { params: { query: { ...filter, cursor: known[page - 2] } }, signal });
  const { items, nextCursor, ...meta } = (Array.isArray(data) ? { items: data } : data) as Page;
  if (nextCursor) cursors.set(question, [...known.slice(0, page - 1), nextCursor]);
  const identify = IDENTIFIERS[resource] ?? ((row: Row) => row.id);
  return {
    data: items.map((row, at) => ({ ...row, id: (identify(row) ?? `${page}.${at}`) as Identifier })),
    pageInfo: { hasNextPage: Boolean(nextCursor), hasPreviousPage: page > 1 },
    meta,
  };
}

const getOne = async (resource: string, id: Identifier) => ({
  data: (await GET(`/${resource}/${encodeURIComponent(id)}`)).data as RaRecord,
});

const provider = {
  supportAbortSignal: true,
  getList,
  getOne: (resource: string, { id }: { id: Identifier }) => getOne(resource, id),
  getMany: async (resource: string, { ids }: { ids: Identifier[] }) => ({
    data: (await Promise.all(ids.map((id) => getOne(resource, id)))).map(({ data }) => data),
  }),
  create: async (resource: string, { data, meta }: { data: object; meta?: { key?: string } }) => ({
    data: (await POST(`/${resource}`, { params: { header: { 'Idempotency-Key': meta?.key } }, body: data })).data,
  }),
  update: async (resource: string, { id, data }: { id: Identifier; data: object }) => ({
    data: (await PATCH(`/${resource}/${encodeURIComponent(id)}`, { body: data })).data,
  }),
  delete: async (resource: string, { id, previousData }: { id: Identifier; previousData?: RaRecord }) => {
    await DELETE(`/${resource}/${encodeURIComponent(id)}`);
    return { data: previousData ?? { id } };
  },
};

export const dataProvider = provider as unknown as DataProvider;
