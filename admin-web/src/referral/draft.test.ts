import { describe, expect, it } from 'vitest';
import { draftOf, termsOf } from './draft.ts';

describe('the terms of a plan', () => {
  const draft = { ...draftOf(null), name: ' Bloggers ', tiers: [{ from: '0', percent: '12,5' }] };

  it('are sent as they are typed, the comma of Russian read as a point', () => {
    expect(termsOf(draft)).toEqual({
      name: 'Bloggers',
      kind: 'profit',
      tiers: [{ from: '0', percent: '12.5' }],
      minCommission: '0.01',
      holdHours: 72,
      withdrawalMin: '10',
    });
  });

  it.each([
    { name: ' ' },
    { tiers: [{ from: '0', percent: '' }] },
    { minCommission: 'a little' },
    { holdHours: '1.5' },
    { holdHours: '-1' },
    { withdrawalMin: '' },
  ])('wait for what is missing: %j', (part) => {
    expect(termsOf({ ...draft, ...part })).toBeNull();
  });
});
