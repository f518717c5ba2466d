import { describe, expect, it } from 'vitest';
import { filtersOf, peopleOf, queryOf, withPart } from './filters.ts';

describe('the question to the log', () => {
  it('stands in the address', () => {
    const params = new URLSearchParams({ aboutKind: 'claim', aboutId: '7', action: '', other: 'x' });
    expect(filtersOf(params)).toEqual({ aboutKind: 'claim', aboutId: '7' });
  });

  it('forgets which thing was meant when the kind of thing changes', () => {
    const asked = { aboutKind: 'claim', aboutId: '7', from: '2024-03-28' };
    expect(withPart(asked, 'aboutKind', 'pair')).toEqual({ aboutKind: 'pair', from: '2024-03-28' });
    expect(withPart(asked, 'aboutKind', '')).toEqual({ from: '2024-03-28' });
    expect(withPart({ actorKind: 'staff', actorId: '1' }, 'actorKind', 'house')).toEqual({ actorKind: 'house' });
  });

  it('means the last day whole', () => {
    const { from, to } = queryOf({ from: '2024-03-28', to: '2024-03-28' });
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1000);
    expect(queryOf({ action: 'claim.take' }, 'c')).toEqual({ action: 'claim.take', cursor: 'c' });
  });

  it('offers everybody who works here, and whoever is seen or asked for besides', () => {
    const actor = (kind: string, id: string | null, name: string) => ({ actor: { kind, id, name, address: null } });
    const entries = [actor('staff', '2', 'Vera'), actor('customer', '3', ''), actor('house', null, 'job')];
    const staff = [{ id: '1', name: 'Boris' }];
    expect(peopleOf(staff, entries)).toEqual([
      { id: '1', name: 'Boris' },
      { id: '2', name: 'Vera' },
    ]);
    expect(peopleOf([], [], '0b7f6c1e-1111-4222-8333-444455556666')).toEqual([
      { id: '0b7f6c1e-1111-4222-8333-444455556666', name: '0b7f6c1e' },
    ]);
  });
});
