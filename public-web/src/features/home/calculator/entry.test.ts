import type { Pair } from '../../../api/types';
import { amountsOf, type Entry, settle, suggestedAmount } from './entry';

const currency = {
  id: 1,
  code: 'BTC',
  name: 'Биткоин',
  ticker: 'BTC',
  network: 'Bitcoin',
  kind: 'crypto',
  icon: 'btc',
} as const;

const pair: Pair = {
  course: '6000000',
  bonus: '0',
  bonuses: [],
  bonusCut: null,
  promo: null,
  notify: null,
  from: { min: '0.0005', max: '1.2', step: null, roundCalculator: 8, notify: null },
  to: { min: '3000', max: '7200000', step: null, roundCalculator: 2, notify: null },
  structure: {
    from: { currency, network: 'Bitcoin', input: [] },
    to: { currency: { ...currency, id: 14, code: 'SBERRUB', ticker: 'RUB', kind: 'bank' }, network: 'card', input: [] },
  },
  quote: { id: 'q', expiresAt: '2024-03-28T12:00:00Z', signature: '' },
  fees: { from: { fixed: '0', percent: '0' }, to: { fixed: '0', percent: '0' }, network: null },
  tiers: [{ min: '0', course: '6000000' }],
  reserve: '8000000',
  hold: 20,
  holdMinutes: 20,
  floating: null,
  verification: null,
  customerTerms: null,
  cities: [],
  ratesOf: null,
  source: { kind: 'market', text: '' },
  explanation: '',
};

const typed = (side: Entry['side'], text: string): Entry => ({ side, text, touched: true, isOpen: true });
const left = (side: Entry['side'], text: string): Entry => ({ ...typed(side, text), isOpen: false });
const wide: Pair = { ...pair, from: { ...pair.from, min: null, max: null } };

describe('an entry', () => {
  it('on the give side is the amount to give', () => {
    expect(amountsOf(typed('from', '0,015'), pair, 'ru')).toEqual({ give: '0.015', receive: '90000' });
  });

  it('on the receive side is turned into the least amount to give', () => {
    expect(amountsOf(typed('to', '90 000,01'), pair, 'ru')).toEqual({ give: '0.01500001', receive: '90000.06' });
  });

  it('is unchanged until it is an amount', () => {
    expect(amountsOf(typed('from', '0,'), pair, 'ru')).toEqual({ give: '0', receive: '0' });
    expect(amountsOf(typed('from', 'abc'), pair, 'ru')).toEqual({ give: null, receive: null });
  });
});

describe('leaving the field', () => {
  it('below the minimum snaps to it and stores the typed text', () => {
    expect(settle(typed('from', '0,0001'), pair, 'ru')).toEqual({
      entry: left('from', '0,0005'),
      remark: { side: 'from', kind: 'min', was: '0,0001' },
    });
  });

  it('above the maximum of the other side snaps to it, with a message there', () => {
    const { entry, remark } = settle(typed('to', '99 000 000'), pair, 'ru');
    expect(entry.text).toBe('1,2');
    expect(remark).toEqual({ side: 'to', kind: 'max', was: '99 000 000' });
  });

  it('an empty field becomes the minimum', () => {
    expect(settle(typed('from', ''), pair, 'ru')).toMatchObject({
      entry: { text: '0,0005' },
      remark: { kind: 'min', was: '' },
    });
  });

  it('within the limits only the format changes', () => {
    expect(settle(typed('from', '12345.5'), wide, 'ru')).toEqual({
      entry: left('from', '12\u00a0345,5'),
      remark: null,
    });
  });

  it('keeps the side that was typed, so that it stays when the rate changes', () => {
    const { entry } = settle(typed('to', '90000'), pair, 'ru');
    expect(entry).toEqual(left('to', '90\u00a0000'));
    expect(amountsOf(entry, pair, 'ru')).toEqual({ give: '0.015', receive: '90000' });
    const later = { ...pair, course: '5000000', tiers: [{ min: '0', course: '5000000' }] };
    expect(amountsOf(entry, later, 'ru')).toEqual({ give: '0.018', receive: '90000' });
  });

  it('far above every amount becomes the maximum, or is refused without limits', () => {
    expect(settle(typed('from', '9'.repeat(14)), pair, 'ru')).toMatchObject({
      entry: { text: '1,2' },
      remark: { kind: 'max' },
    });
    expect(settle(typed('from', '9'.repeat(14)), wide, 'ru').remark?.kind).toBe('huge');
    expect(settle(typed('to', '9'.repeat(14)), wide, 'ru').remark?.kind).toBe('huge');
  });
});

describe('where amounts have steps', () => {
  const inThousands: Pair = { ...pair, to: { ...pair.to, step: '1000' } };
  const inHalves: Pair = { ...pair, from: { ...pair.from, min: '0.5', max: '1', step: '0.5' } };

  it('a given amount becomes the least that brings as many whole steps', () => {
    const { entry, remark } = settle(typed('from', '0,00123'), inThousands, 'ru');
    expect(entry).toEqual(left('to', '7\u00a0000'));
    expect(remark).toEqual({ side: 'from', kind: 'step', step: 'to', was: '0,00123' });
    expect(amountsOf(entry, inThousands, 'ru')).toEqual({ give: '0.00116667', receive: '7000' });
  });

  it('a received amount is cut to whole steps, with the typed one to take back', () => {
    expect(settle(typed('to', '7 999'), inThousands, 'ru')).toEqual({
      entry: left('to', '7\u00a0000'),
      remark: { side: 'to', kind: 'step', step: 'to', was: '7 999' },
    });
    expect(settle(typed('to', '7000'), inThousands, 'ru').remark).toBeNull();
  });

  it('a given amount is cut to its own steps', () => {
    expect(settle(typed('from', '0,9'), inHalves, 'ru')).toEqual({
      entry: left('from', '0,5'),
      remark: { side: 'from', kind: 'step', step: 'from', was: '0,9' },
    });
    expect(settle(typed('to', '5000000'), inHalves, 'ru').entry).toEqual(left('from', '0,5'));
  });
});

it.each([
  ['0.0005', '1.2', 8, '0.002'],
  ['3000', '600000', 2, '20000'],
  ['30', '25000', 2, '200'],
  ['0.35', '900', 8, '2'],
  ['6', '10', 6, '10'],
  [null, null, 2, '1'],
])('with a minimum of %s and a maximum of %s, the page suggests an amount', (min, max, roundCalculator, amount) => {
  expect(suggestedAmount({ min, max, step: null, roundCalculator, notify: null })).toBe(amount);
});
