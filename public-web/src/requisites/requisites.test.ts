import { readFileSync } from 'node:fs';
import type { RequisiteKind } from '../api/types';
import { checkRequisite } from './index';

interface Vector {
  kind: RequisiteKind;
  value: string;
  valid: boolean;
  why: string;
  policy?: string;
  refused?: string;
}

const file = new URL('../../../openapi/vectors/requisites.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

/** Slips the page must see by itself, before anything is sent. */
const SEEN_HERE = new Set(['bad_checksum', 'card_checksum', 'iban_checksum', 'account_checksum', 'secret_key']);

/** Kinds whose checksums are left to the server. */
const LEFT_TO_SERVER = new Set(['xmr']);

const asked = vectors.filter(({ value }) => value.trim() !== '');
const good = asked.filter(({ valid }) => valid);
const slips = asked.filter(
  ({ valid, refused, kind }) => !valid && SEEN_HERE.has(refused ?? '') && !LEFT_TO_SERVER.has(kind),
);

describe('the page never refuses what the server takes', () => {
  it.each(good.map((vector) => [vector.kind, vector.why, vector] as const))(
    '%s: %s',
    async (_, __, { kind, value }) => {
      expect((await checkRequisite(kind, value)).refusal).toBeNull();
    },
  );
});

describe('the page sees slips of the finger', () => {
  it('has enough of them to show', () => {
    expect(slips.length).toBeGreaterThan(20);
  });

  it.each(slips.map((vector) => [vector.kind, vector.why, vector] as const))('%s: %s', async (_, __, vector) => {
    expect((await checkRequisite(vector.kind, vector.value)).refusal).not.toBeNull();
  });
});

it.each([
  ['tron', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'evm'],
  ['evm', 'TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf', 'tron'],
  ['ltc', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'btc'],
] as const)('an address of another network in a field for %s is named', async (kind, value, other) => {
  expect(await checkRequisite(kind, value)).toEqual({ refusal: 'wrong_network', verified: false, other });
});
