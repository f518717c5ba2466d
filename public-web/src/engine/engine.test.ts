import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clampGive, giveFor, type Limits, normalise, receiveFor, snap, type Terms } from './index';

/** The terms of a vector: the rate has its published name. */
interface VectorTerms extends Omit<Terms, 'rate' | 'tiers'> {
  course: string;
  tiers: { min: string; course: string }[];
}

const termsOf = ({ course, tiers, ...terms }: VectorTerms): Terms => ({
  ...terms,
  rate: course,
  tiers: tiers.map(({ min, course }) => ({ min, rate: course })),
});

interface Exchange {
  name: string;
  terms: VectorTerms;
  send: string;
  receive: string;
  wanted: string;
  least: string | null;
}

interface Effective {
  terms: VectorTerms;
  limits: { from: { min: string; max: string }; to: { min: string; max: string } } | null;
}

interface Stepped extends Effective {
  limits: NonNullable<Effective['limits']>;
  typed: { from: string; to: string };
  snapped: { from: string; to: string };
  receive: string;
  least: string;
}

const file = new URL('../../../openapi/vectors/money.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  exchanges: Exchange[];
  limits: Effective[];
  steps: Stepped[];
};

/** Compares decimals of equal form: by length of the whole part, then digit by digit. */
function atLeast(amount: string, bound: string): boolean {
  const padded = (text: string) => {
    const [whole = '', fraction = ''] = text.split('.');
    return whole.padStart(20, '0') + fraction.padEnd(8, '0');
  };
  return padded(amount) >= padded(bound);
}

describe('the exchange vectors shared with the server', () => {
  it('are all there', () => {
    expect(vectors.exchanges.length).toBeGreaterThanOrEqual(600);
  });

  it.each(vectors.exchanges.map((vector, index) => ({ index, ...vector })))(
    '$index: $name',
    ({ terms, send, receive, wanted, least }) => {
      expect(receiveFor(send, termsOf(terms))).toBe(receive);
      expect(giveFor(wanted, termsOf(terms))).toBe(least);
    },
  );
});

describe('the limits the server derives', () => {
  const open = vectors.limits.flatMap(({ terms, limits }) => (limits ? [{ terms: termsOf(terms), limits }] : []));

  it('are open for most pairs', () => {
    expect(open.length).toBeGreaterThan(100);
  });

  it.each(open)('hold on the page: $limits', ({ terms, limits }) => {
    const { from, to } = limits;
    expect(atLeast(receiveFor(from.min, terms), to.min)).toBe(true);
    expect(atLeast(to.max, receiveFor(from.max, terms))).toBe(true);
    const forMost = giveFor(to.max, terms);
    expect(forMost !== null && atLeast(from.max, forMost)).toBe(true);
    expect(clampGive(from.min, limits)).toEqual({ value: from.min, snapped: null });
    expect(clampGive(from.max, limits)).toEqual({ value: from.max, snapped: null });
  });
});

describe('amounts in steps', () => {
  it.each(vectors.steps)('$typed becomes $snapped', ({ terms: vector, limits, typed, snapped, receive, least }) => {
    const terms = termsOf(vector);
    const given = snap('from', typed.from, terms, limits);
    expect(given.give).toBe(snapped.from);
    expect(given.snapped === null).toBe(snapped.from === typed.from);
    expect(receiveFor(snapped.from, terms)).toBe(receive);
    expect(giveFor(snapped.to, terms)).toBe(least);
    const wanted = snap('to', typed.to, terms, limits).give ?? limits.from.max;
    const brings = receiveFor(wanted, terms);
    expect(wanted === limits.from.min || atLeast(typed.to, brings)).toBe(true);
    expect(snap('from', wanted, terms, limits)).toEqual({ give: wanted, snapped: null });
  });

  const cash: Terms = { rate: '92.5', tiers: [], feeFrom: '0', feeTo: '0', digitsFrom: 2, digitsTo: 2 };
  const wide: Limits = { from: { min: null, max: null } };

  it('are given in whole steps', () => {
    const terms = { ...cash, stepFrom: '50' };
    expect(snap('from', '149.99', terms, wide)).toEqual({ give: '100', snapped: 'stepFrom' });
    expect(snap('from', '150', terms, wide)).toEqual({ give: '150', snapped: null });
    expect(snap('to', '10000', terms, wide)).toEqual({ give: '100', snapped: 'stepFrom' });
    expect(snap('to', '9250', terms, wide)).toEqual({ give: '100', snapped: null });
  });

  it('are received in whole steps, for the least that brings them', () => {
    const terms = { ...cash, stepTo: '100' };
    expect(receiveFor('10', terms)).toBe('900');
    expect(snap('from', '10', terms, wide)).toEqual({ give: '9.73', snapped: 'stepTo' });
    expect(snap('to', '950', terms, wide)).toEqual({ give: '9.73', snapped: 'stepTo' });
    expect(snap('to', '900', terms, wide)).toEqual({ give: '9.73', snapped: null });
  });
});

describe('clampGive', () => {
  const limits: Limits = { from: { min: '10', max: '500.5' } };

  it('snaps an amount below the minimum to the minimum', () => {
    expect(clampGive('9.99999999', limits)).toEqual({ value: '10', snapped: 'min' });
    expect(clampGive('0', limits)).toEqual({ value: '10', snapped: 'min' });
  });

  it('snaps an amount above the maximum to the maximum', () => {
    expect(clampGive('500.51', limits)).toEqual({ value: '500.5', snapped: 'max' });
  });

  it('leaves amounts alone where nothing limits', () => {
    const none: Limits = { from: { min: null, max: null } };
    expect(clampGive('0', none)).toEqual({ value: '0', snapped: null });
    expect(clampGive('999999999999', none)).toEqual({ value: '999999999999', snapped: null });
  });
});

describe('normalise', () => {
  it.each([
    ['0,5', '0.5'],
    ['0.5', '0.5'],
    ['1,234', '1.234'],
    ['1.234', '1.234'],
    ['1 234 567,89', '1234567.89'],
    ['1\u00a0234,5', '1234.5'],
    ['1\u202f234,5', '1234.5'],
    ['1.234.567', '1234567'],
    ['1.234.567,8', '1234567.8'],
    ['1,234,567.8', '1234567.8'],
    ['007', '7'],
    ['12,', '12'],
    [',5', '0.5'],
    ['1,50000000000', '1.5'],
    ['0,00000001', '0.00000001'],
    ['999999999999,99999999', '999999999999.99999999'],
  ])('reads %j in Russian as %s', (typed, amount) => {
    expect(normalise(typed, 'ru')).toBe(amount);
  });

  it.each([
    ['0.5', '0.5'],
    ['0,5', '0.5'],
    ['1,234', '1234'],
    ['1.234', '1.234'],
    ['12,345,678.9', '12345678.9'],
    ['1.234,5', '1234.5'],
    ['12.', '12'],
  ])('reads %j in English as %s', (typed, amount) => {
    expect(normalise(typed, 'en')).toBe(amount);
  });

  it.each(['1,5', '1,50', '1,2345', '1,', '12,34,567', '1,234,56'])(
    'does not guess what %j means in English',
    (typed) => {
      expect(normalise(typed, 'en')).toBeNull();
    },
  );

  it.each([
    '',
    ' ',
    '.',
    ',',
    '-1',
    '+1',
    '1e5',
    'NaN',
    'Infinity',
    '0x10',
    '100 ₽',
    '١٢',
    '1..2',
    '1.23.4',
    '1,2.3,4',
    '0,000000001',
    '1000000000000',
    '9'.repeat(65),
  ])('finds no amount in %j', (typed) => {
    expect(normalise(typed, 'ru')).toBeNull();
    expect(normalise(typed, 'en')).toBeNull();
  });
});

describe('what is no amount', () => {
  const terms: Terms = { rate: '2', tiers: [], feeFrom: '0', feeTo: '0', digitsFrom: 2, digitsTo: 2 };

  it.each(['', '-1', '1e3', '0.000000001', '1000000000000', '1,5'])('%j is refused', (text) => {
    expect(() => receiveFor(text, terms)).toThrow(RangeError);
    expect(() => giveFor(text, terms)).toThrow(RangeError);
  });
});
