import type { DataProvider, RaRecord } from 'react-admin';
import { api } from './api.ts';

/**
 * The whole lists of the exchange as react-admin resources. They are short and come in one answer, so pages, sorting
 * and filters are the screens' own. The claims desk pages by keyset cursors, and forms save through `api`, whose bodies
 * are typed.
 */
const LISTS: Record<string, () => Promise<RaRecord[]>> = {
  currencies: () => api.currencies(),
  pairs: () => api.pairs(),
  requisites: () => api.requisites(),
  reserves: async () => (await api.reserves()).map((reserve) => ({ ...reserve, id: reserve.currencyId })),
};

const SINGLES: Record<string, (id: RaRecord['id']) => Promise<RaRecord>> = {
  claims: (id) => api.claim(String(id)),
};

const missing = (resource: string, operation: string) => new Error(`${resource} has no ${operation}`);

async function list(resource: string): Promise<RaRecord[]> {
  const read = LISTS[resource];
  if (!read) throw missing(resource, 'list');
  return read();
}

async function single(resource: string, id: RaRecord['id']): Promise<RaRecord> {
  const read = SINGLES[resource];
  if (read) return read(id);
  const found = (await list(resource)).find((record) => String(record.id) === String(id));
  if (!found) throw missing(resource, String(id));
  return found;
}

const provider = {
  getList: async (resource: string) => {
    const data = await list(resource);
    return { data, total: data.length };
  },
  getOne: async (resource: string, { id }: { id: RaRecord['id'] }) => ({ data: await single(resource, id) }),
  getMany: async (resource: string, { ids }: { ids: RaRecord['id'][] }) => {
    const wanted = new Set(ids.map(String));
    return { data: (await list(resource)).filter((record) => wanted.has(String(record.id))) };
  },
  getManyReference: async (resource: string) => {
    throw missing(resource, 'reference list');
  },
  update: async (resource: string) => {
    throw missing(resource, 'update');
  },
  create: async (resource: string) => {
    throw missing(resource, 'create');
  },
  updateMany: async (resource: string) => {
    throw missing(resource, 'bulk update');
  },
  delete: async (resource: string) => {
    throw missing(resource, 'delete');
  },
  deleteMany: async (resource: string) => {
    throw missing(resource, 'bulk delete');
  },
};

export const dataProvider = provider as unknown as DataProvider;
