import { readFileSync } from 'node:fs';
import type { RequisiteKind } from '../api/types';
import { checkRequisite } from './index';

interface Vector {
  kind: RequisiteKind;
  value: string;
  valid: boolean;
  why: string;
  beside?: RequisiteKind;
  policy?: string;
  refused?: string;
}

const file = new URL('../../../openapi/vectors/requisites.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

/** Typing errors the page must find by itself, before anything is submitted. */
const FOUND_HERE = new Set(['bad_checksum', 'card_checksum', 'iban_checksum', 'account_checksum', 'secret_key']);

/** Kinds whose checksums are left to the server. */
const LEFT_TO_SERVER = new Set(['xmr']);

const filled = vectors.filter(({ value }) => value.trim() !== '');
const good = filled.filter(({ valid }) => valid);
const errors = filled.filter(
  ({ valid, refused, kind }) => !valid && FOUND_HERE.has(refused ?? '') && !LEFT_TO_SERVER.has(kind),
);

describe('the page never refuses what the server accepts', () => {
  it.each(good.map((vector) => [vector.kind, vector.why, vector] as const))('%s: %s', (_, __, vector) => {
    const { kind, value, beside } = vector;
    expect(checkRequisite(kind, value, beside && [beside]).refusal).toBeNull();
  });
});

describe('the page finds typing errors', () => {
  it('has enough of them', () => {
    expect(errors.length).toBeGreaterThan(20);
  });

  it.each(errors.map((vector) => [vector.kind, vector.why, vector] as const))('%s: %s', (_, __, vector) => {
    expect(checkRequisite(vector.kind, vector.value).refusal).not.toBeNull();
  });
});

describe('the page knows how long a memo may be', () => {
  const long = filled.filter(
    ({ kind, valid, beside, refused }) => kind === 'memo' && !valid && beside && refused !== 'bad_characters',
  );

  it.each(long.map((vector) => [vector.beside, vector.why, vector] as const))('%s: %s', (_, __, vector) => {
    const { value, beside } = vector;
    expect(checkRequisite('memo', value, beside && ['text', beside]).refusal).not.toBeNull();
  });
});

it.each([
  ['tron', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'evm'],
  ['evm', 'TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf', 'tron'],
  ['ltc', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'btc'],
] as const)('an address of another network in a field for %s is named', (kind, value, other) => {
  expect(checkRequisite(kind, value)).toEqual({ refusal: 'wrong_network', verified: false, other });
});

it.each([
  ['card', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'evm'],
  ['phone', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'btc'],
] as const)('an address in a field for %s is named', (kind, value, other) => {
  expect(checkRequisite(kind, value)).toEqual({ refusal: 'wrong_kind', verified: false, other });
});

it.each([
  ['anna@gmial.com', 'anna@gmail.com'],
  ['anna@gmail.co', 'anna@gmail.com'],
  ['anna@yandx.ru', 'anna@yandex.ru'],
  ['Anna@Mial.ru', 'Anna@mail.ru'],
])('a usual mailbox is suggested for %s', (typed, suggestion) => {
  expect(checkRequisite('email', typed)).toEqual({ refusal: null, verified: false, suggestion });
});

it.each(['anna@gmail.com', 'anna@ya.ru', 'anna@bk.ru', 'anna@example.com', 'anna@mail.com'])(
  'nothing is suggested for %s',
  (typed) => {
    expect(checkRequisite('email', typed)).toEqual({ refusal: null, verified: false });
  },
);
