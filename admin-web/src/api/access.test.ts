import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PERMISSIONS } from './access.ts';

const published = readFileSync(new URL('../../../openapi/admin.json', import.meta.url), 'utf8');

it('every screen asks for permissions that the server knows', () => {
  const named = Object.values(PERMISSIONS).flatMap(({ read, edit }) => [read, edit]);
  expect(named.filter((permission) => !published.includes(`\`${permission}\``))).toEqual([]);
});
