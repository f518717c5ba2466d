import { describe, expect, it } from 'vitest';
import { minutesBetween, remaining, untilNextTick } from './deadline';

const NOON = Date.parse('2026-11-21T12:00:00Z');

describe('the countdown', () => {
  it('counts from twenty minutes down and warns in the last three', () => {
    const deadline = '2026-11-21T12:20:00Z';
    expect(remaining(deadline, 20, NOON)).toEqual({ left: 1_200_000, spent: 0, urgency: 'calm' });
    expect(remaining(deadline, 20, NOON + 10 * 60_000)).toEqual({ left: 600_000, spent: 0.5, urgency: 'calm' });
    expect(remaining(deadline, 20, NOON + 17 * 60_000).urgency).toBe('soon');
  });

  it('never goes below zero once the time is up', () => {
    expect(remaining('2026-11-21T11:59:00Z', 20, NOON)).toEqual({ left: 0, spent: 1, urgency: 'over' });
  });

  it('ticks when the shown second changes', () => {
    expect(untilNextTick(862_300)).toBe(300);
    expect(untilNextTick(862_000)).toBe(1_000);
  });

  it('rounds how long an exchange took to minutes, never to none', () => {
    expect(minutesBetween('2026-11-21T12:00:00Z', '2026-11-21T12:27:10Z')).toBe(27);
    expect(minutesBetween('2026-11-21T12:00:00Z', '2026-11-21T12:00:05Z')).toBe(1);
  });
});
