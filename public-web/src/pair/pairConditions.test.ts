import type { Pair } from '../api/types';
import { BRAND } from '../brand';
import { hasConditions, memoOf } from './pairConditions';

const pair = (change: object, kind = 'xrp') =>
  ({
    floating: null,
    verification: null,
    customerTerms: null,
    fees: { network: null },
    structure: { from: { input: [{ kind, label: 'Label' }] } },
    ...change,
  }) as Pair;

it.each([
  [{}, 'btc', false],
  [{ verification: 'card' }, 'btc', true],
  [{ floating: { confirmations: 1 } }, 'btc', true],
  [{ customerTerms: { id: '1' } }, 'btc', true],
  [{ fees: { network: { payer: 'exchange', amount: '0' } } }, 'btc', true],
  [{}, 'memo', true],
  [{}, 'tag', true],
])('%j with an input of the kind %s: %s', (change, kind, expected) => {
  expect(hasConditions(pair(change, kind))).toBe(expected);
});

it('says outside the working hours that operators do not work', () => {
  BRAND.closed = 'Outside working hours now, until 09:00 (UTC+3).';
  expect(hasConditions(pair({}, 'btc'))).toBe(true);
  BRAND.closed = null;
  expect(hasConditions(pair({}, 'btc'))).toBe(false);
});

it('calls a memo what the network calls it', () => {
  expect(memoOf(pair({}, 'tag'))).toBe('Label');
  expect(memoOf(pair({}, 'btc'))).toBeNull();
});
