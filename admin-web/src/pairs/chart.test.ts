import { describe, expect, it } from 'vitest';
import { linesOf, marginOf, rangeOf } from './chart.ts';

const point = (minute: number, market: string, rate: string | null, marginPercent: string | null = null) => ({
  at: `2024-03-28T12:${String(minute).padStart(2, '0')}:00Z`,
  market,
  rate,
  marginPercent,
  suspended: rate === null,
});

describe('the lines of a chart', () => {
  it('share one scale and are broken where there is no number', () => {
    const lines = linesOf([point(0, '100', '90'), point(30, '110', null), point(60 - 1, '105', '100')]);
    expect(lines.market).toBe('M0.0 40.0L152.5 0.0L300.0 20.0');
    expect(lines.rate).toBe('M0.0 80.0M300.0 40.0');
  });

  it('are drawn in the middle when nothing changes, and not at all without points', () => {
    expect(linesOf([point(0, '5', '5')])).toEqual({ market: 'M150.0 40.0', rate: 'M150.0 40.0' });
    expect(linesOf([])).toEqual({ market: '', rate: '' });
  });

  it('show the margin in a scale of its own', () => {
    const points = [point(0, '100', '98', '2'), point(30, '100', null), point(60 - 1, '100', '101', '-1')];
    expect(marginOf(points)).toEqual({ line: 'M0.0 0.0M300.0 80.0', least: '-1', most: '2' });
    expect(marginOf([point(0, '5', null)])).toBeNull();
  });

  it('lie between the least and the greatest number, as the server wrote them', () => {
    const points = [point(0, '100.50', '9'), point(30, '1100', null)];
    expect(rangeOf(points)).toEqual({ least: '9', most: '1100' });
  });
});
