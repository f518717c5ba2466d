import { describe, expect, it } from 'vitest';
import { draftOf, inputOf } from './draft.ts';

describe('a route as it is typed', () => {
  const draft = { ...draftOf(null, 1, 'bitcoin-core'), claimLimit: '0,5', dayLimit: '1 000' };

  it('is sent as the API writes numbers', () => {
    expect(inputOf(draft)).toEqual({
      revision: 0,
      driver: 'bitcoin-core',
      enabled: true,
      confirmations: 2,
      tolerance: '0',
      dust: '0',
      autoPayout: false,
      claimLimit: '0.5',
      dayLimit: '1000',
    });
  });

  it('names a screening plugin only if one is chosen', () => {
    expect(inputOf({ ...draft, screening: 'aml' })?.screening).toBe('aml');
    expect(inputOf(draft)).not.toHaveProperty('screening');
  });

  it('waits until everything is a number', () => {
    for (const part of [{ confirmations: '' }, { confirmations: '1.5' }, { dust: 'x' }, { driver: '' }]) {
      expect(inputOf({ ...draft, ...part })).toBeNull();
    }
  });
});
