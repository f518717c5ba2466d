import { describe, expect, it } from 'vitest';
import { byUrgency, type DashboardItem } from './urgent.ts';

const now = Date.parse('2026-03-28T09:00:00Z');
const item = (kind: DashboardItem['kind'], id: string, minutes: number | null): DashboardItem => ({
  kind,
  id,
  publicId: null,
  status: null,
  from: 'BTC',
  to: null,
  available: null,
  floor: null,
  dueAt: minutes === null ? null : new Date(now + minutes * 60_000).toISOString(),
});

describe('the overview', () => {
  it('puts late claims first, then those due soon, then what blocks the exchange', () => {
    const sections = byUrgency(
      [
        item('pair', 'p', null),
        item('claim', 'hour', 60),
        item('claim', 'near', 20),
        item('claim', 'late', -5),
        item('reserve', 'r', null),
        item('details', 'd', null),
        item('claim', 'later still', -20),
      ],
      now,
    );
    expect(sections.map(({ name, items }) => [name, ...items.map(({ id }) => id)])).toEqual([
      ['late', 'later still', 'late'],
      ['soon', 'near'],
      ['details', 'd'],
      ['reserve', 'r'],
      ['pair', 'p'],
      ['later', 'hour'],
    ]);
  });

  it('shows no empty headings', () => {
    expect(byUrgency([], now)).toEqual([]);
  });
});
