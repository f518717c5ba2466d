// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { fakeServer } from '../testing/console.tsx';
import { dataProvider } from './dataProvider.ts';

const server = fakeServer();

const list = (resource: string, page: number, filter = {}) =>
  dataProvider.getList(resource, { pagination: { page, perPage: 25 }, sort: { field: 'id', order: 'ASC' }, filter });

it('turns pages into cursors, for each question apart', async () => {
  const pages: Record<string, { items: object[]; nextCursor: string | null }> = {
    '': { items: [{ id: 1 }], nextCursor: 'b' },
    b: { items: [{ id: 2 }], nextCursor: 'c' },
    c: { items: [{ id: 3 }], nextCursor: null },
  };
  server.current.on('GET /audit', ({ query }) => ({ body: { ...pages[query.cursor ?? ''], total: 3 } }));
  const first = await list('audit', 1, { action: 'x' });
  expect(first).toMatchObject({ data: [{ id: 1 }], pageInfo: { hasNextPage: true }, meta: { total: 3 } });
  expect(await list('audit', 2, { action: 'x' })).toMatchObject({ data: [{ id: 2 }], pageInfo: { hasNextPage: true } });
  await list('audit', 1, { action: 'y' });
  expect(await list('audit', 3, { action: 'x' })).toMatchObject({
    data: [{ id: 3 }],
    pageInfo: { hasNextPage: false },
  });
  expect(server.current.of('GET /audit').map(({ query }) => query)).toEqual([
    { action: 'x' },
    { action: 'x', cursor: 'b' },
    { action: 'y' },
    { action: 'x', cursor: 'c' },
  ]);
});

it('reads whole lists, and identifies records that have another name', async () => {
  server.current.on('GET /plugins', () => ({ body: [{ name: 'bitcoin-core' }] }));
  expect(await list('plugins', 1)).toMatchObject({
    data: [{ id: 'bitcoin-core', name: 'bitcoin-core' }],
    pageInfo: { hasNextPage: false },
  });
});

it('creates with an idempotency key, changes and deletes', async () => {
  server.current.on('POST /partners', () => ({ body: { id: '1' } }));
  server.current.on('PATCH /partners/a%2Fb', () => ({ body: { id: 'a/b' } }));
  server.current.on('DELETE /partners/1', () => ({ status: 204 }));
  await dataProvider.create('partners', { data: { name: 'Shop' }, meta: { key: 'k' } });
  await dataProvider.update('partners', { id: 'a/b', data: { name: 'Store' }, previousData: { id: 'a/b' } });
  await dataProvider.delete('partners', { id: '1' });
  expect(server.current.calls.map(({ method, key, body }) => [method, key, body])).toEqual([
    ['POST', 'k', { name: 'Shop' }],
    ['PATCH', null, { name: 'Store' }],
    ['DELETE', null, undefined],
  ]);
});
