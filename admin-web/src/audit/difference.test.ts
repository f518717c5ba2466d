import { describe, expect, it } from 'vitest';
import { difference } from './difference.ts';

describe('a difference', () => {
  it('names what changed by its path, and nothing else', () => {
    const before = { enabled: true, name: { ru: 'Биткоин', en: 'Bitcoin' }, tiers: [1, 2], memo: null };
    const after = { enabled: false, name: { ru: 'Биткоин', en: 'BTC' }, tiers: [1, 3], memo: 'x' };
    expect(difference(before, after)).toEqual([
      { name: 'enabled', before: 'true', after: 'false' },
      { name: 'name.en', before: 'Bitcoin', after: 'BTC' },
      { name: 'tiers', before: '[1,2]', after: '[1,3]' },
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
