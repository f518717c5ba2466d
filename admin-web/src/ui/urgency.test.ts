import { describe, expect, it } from 'vitest';
import { placeOnRuler, stack, urgencyOf } from './urgency.ts';

const minute = 60_000;

describe('urgency', () => {
  it('is late past the due time, soon within seven minutes, else calm', () => {
    expect(urgencyOf(-1)).toBe('late');
    expect(urgencyOf(0)).toBe('soon');
    expect(urgencyOf(7 * minute - 1)).toBe('soon');
    expect(urgencyOf(7 * minute)).toBe('calm');
  });
});

describe('the ruler', () => {
  it('reaches from half an hour ago to an hour ahead', () => {
    expect(placeOnRuler(0, 0)).toBeCloseTo(1 / 3);
    expect(placeOnRuler(60 * minute, 0)).toBe(1);
    expect(placeOnRuler(61 * minute, 0)).toBeNull();
  });

  it('keeps what is older at its left edge: late claims are never out of sight', () => {
    expect(placeOnRuler(-300 * minute, 0)).toBe(0);
  });

  it('puts neighbours on top of one another', () => {
    expect(stack([0.1, 0.105, 0.108, 0.2], 0.01)).toEqual([0, 1, 2, 0]);
  });
});
