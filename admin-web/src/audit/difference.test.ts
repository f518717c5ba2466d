import { describe, expect, it } from 'vitest';
import { difference, lineOf } from './difference.ts';

describe('a difference', () => {
  it('names what changed by its path, and nothing else', () => {
    const before = { enabled: true, name: { ru: 'Биткоин', en: 'Bitcoin' }, tiers: [1, 2], memo: null };
    const after = { enabled: false, name: { ru: 'Биткоин', en: 'BTC' }, tiers: [1, 3], memo: 'x' };
    expect(difference(before, after)).toEqual([
      { name: 'enabled', before: 'true', after: 'false' },
      { name: 'name.en', before: 'Bitcoin', after: 'BTC' },
      { name: 'tiers', before: [1, 2], after: [1, 3] },
      { name: 'memo', before: null, after: 'x' },
    ]);
  });

  it('shows what is new, what is gone, and plain values', () => {
    expect(difference(null, { state: 'created' })).toEqual([{ name: 'state', before: null, after: 'created' }]);
    expect(difference({ state: 'created' }, null)).toEqual([{ name: 'state', before: 'created', after: null }]);
    expect(difference(null, 7)).toEqual([{ name: 'value', before: null, after: '7' }]);
    expect(difference(null, null)).toEqual([]);
  });
});

describe('a list in the log', () => {
  const texts = {
    label: (name: string) => name.toUpperCase(),
    format: (_: string, value: string) => value || 'nothing',
  };

  it('is read item by item, each by the names of what it holds', () => {
    expect(lineOf('TJCn…xMW', texts)).toBe('TJCn…xMW');
    expect(lineOf({ from: '0', percent: '-0.5' }, texts)).toBe('FROM: 0, PERCENT: -0.5');
    expect(lineOf([3, 1500000000], texts)).toBe('3, 1500000000');
  });

  it('keeps what is nested, empty or false', () => {
    const move = { days: [1, 2], open: false, note: null, at: { from: 9, to: [] } };
    expect(lineOf(move, texts)).toBe('DAYS: (1, 2), OPEN: false, NOTE: nothing, AT: (FROM: 9, TO: nothing)');
  });

  it('is the same list when nothing in it changed, and is empty like an empty text', () => {
    expect(difference({ tiers: [{ from: '0' }] }, { tiers: [{ from: '0' }] })).toEqual([]);
    expect(difference({ moves: ['a'] }, { moves: [] })).toEqual([{ name: 'moves', before: ['a'], after: '' }]);
  });
});

describe('what is stored as JSON within a text', () => {
  it('is taken apart like the rest', () => {
    const notice = (title: string) => ({
      notices: JSON.stringify({ from: { ru: { title, message: 'm' } }, to: null }),
    });
    expect(difference(notice('a'), notice('b'))).toEqual([{ name: 'notices.from.ru.title', before: 'a', after: 'b' }]);
  });

  it('is a text where it only looks like it', () => {
    expect(difference(null, { note: '[sic' })).toEqual([{ name: 'note', before: null, after: '[sic' }]);
  });
});
