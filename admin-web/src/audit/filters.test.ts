import type { Schema } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { filtersOf, queryOf, staffOf, withPart } from './filters.ts';

describe('the filters of the log', () => {
  it('stand in the address', () => {
    const params = new URLSearchParams({ aboutKind: 'claim', aboutId: '7', action: '', other: 'x' });
    expect(filtersOf(params)).toEqual({ aboutKind: 'claim', aboutId: '7' });
  });

  it('forget the identifier when its kind changes', () => {
    const filters = { aboutKind: 'claim', aboutId: '7', from: '2024-03-28' };
    expect(withPart(filters, 'aboutKind', 'pair')).toEqual({ aboutKind: 'pair', from: '2024-03-28' });
    expect(withPart(filters, 'aboutKind', '')).toEqual({ from: '2024-03-28' });
    expect(withPart({ actorKind: 'staff', actorId: '1' }, 'actorKind', 'system')).toEqual({ actorKind: 'system' });
  });

  it('include the whole last day', () => {
    const { from, to } = queryOf({ from: '2024-03-28', to: '2024-03-28' });
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1000);
    expect(queryOf({ action: 'claim.take' })).toEqual({ action: 'claim.take' });
  });

  it('offer all staff members, and those on the screen or in the filter besides', () => {
    const actor = (kind: Schema<'AuditActorView'>['kind'], id: string | null, name: string) => ({
      actor: { kind, id, name, address: null },
    });
    const entries = [actor('staff', '2', 'Vera'), actor('customer', '3', ''), actor('system', null, 'job')];
    const staff = [{ id: '1', name: 'Boris' }];
    expect(staffOf(staff, entries)).toEqual([
      { id: '1', name: 'Boris' },
      { id: '2', name: 'Vera' },
    ]);
    expect(staffOf([], [], '0b7f6c1e-1111-4222-8333-444455556666')).toEqual([
      { id: '0b7f6c1e-1111-4222-8333-444455556666', name: '0b7f6c1e' },
    ]);
  });
});
