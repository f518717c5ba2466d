import { describe, expect, it } from 'vitest';
import { draftOf, rulesOf } from './rules.ts';

const RULES = {
  formula: 'mid(binance:BTCUSDT) * cbr:USDRUB',
  sources: 2,
  jumpPercent: '5',
  bounds: { floor: '0.5', ceiling: '4' },
  rank: {
    aggregator: 'bestchange',
    best: 1,
    worst: 3,
    step: '0.1',
    undercut: '0.01',
    own: ['Agio', 'Agio 2'],
    leastReserve: '100000',
  },
  reserve: {
    target: '1000000',
    levels: [
      { from: '0', percent: '-0.5' },
      { from: '50', percent: '0' },
    ],
  },
  moves: [{ from: '-100', percent: '-1' }],
  schedule: {
    timeZone: 'Europe/Moscow',
    windows: [
      { days: [6, 7], from: '22:00', to: '06:00' },
      { days: [1], from: '09:00', to: '18:00', percent: '0.2' },
    ],
  },
};

describe('rules', () => {
  it('hold the floor over the market rate unless they say otherwise', () => {
    const bounds = (floorOver?: 'cost') => ({ floor: '0.5', ceiling: '4', floorOver });
    for (const floorOver of [undefined, 'cost'] as const) {
      const read = rulesOf(draftOf({ bounds: bounds(floorOver), moves: [] }));
      expect('rules' in read && read.rules.bounds).toEqual(bounds(floorOver));
    }
  });

  it('are read as they were written', () => {
    const read = rulesOf(draftOf(RULES));
    expect(JSON.parse(JSON.stringify('rules' in read && read.rules))).toEqual(RULES);
  });

  it('that are empty are none', () => {
    const read = rulesOf(draftOf({ moves: [] }));
    expect(JSON.parse(JSON.stringify('rules' in read && read.rules))).toEqual({ moves: [] });
  });

  it('that cannot be read are named', () => {
    const draft = { ...draftOf(RULES), levels: '0 -1', hours: '8 22:00-06:00', floor: 'a', sources: '1.5' };
    expect(rulesOf(draft)).toEqual({ wrong: ['sources', 'floor', 'levels', 'hours'] });
  });
});
