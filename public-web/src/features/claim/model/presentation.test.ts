import { describe, expect, it } from 'vitest';
import type { ClaimState } from '../../../api/types';
import en from '../../../i18n/en/claim.json';
import ru from '../../../i18n/ru/claim.json';
import { finalPageOf, PRESENTATIONS, stationsOf } from './presentation';

const STATES = Object.keys(PRESENTATIONS) as ClaimState[];

describe('what the customer sees in each state', () => {
  it('covers all twenty states of a claim', () => {
    expect(STATES).toHaveLength(20);
  });

  it.each(STATES)('has a heading and a sentence in both languages for %s', (state) => {
    for (const texts of [ru, en]) {
      expect(texts[`state.${state}.heading`]).not.toBe('');
      expect(texts[`state.${state}.text`]).not.toBe('');
      expect(texts[`timeline.${state}`]).not.toBe('');
    }
  });

  it.each(STATES)('marks exactly one station of the journey in %s', (state) => {
    const { tone } = PRESENTATIONS[state];
    const marks = stationsOf(state, 'crypto').map((station) => station.mark);
    expect(marks).toHaveLength({ cancelled: 1, expired: 1, rejected: 1 }[state as string] ?? 5);
    expect(marks.filter((mark) => mark !== 'done' && mark !== 'ahead')).toEqual(tone === 'done' ? [] : [tone]);
  });

  it.each(STATES)('names every station of %s in both languages', (state) => {
    for (const kind of ['crypto', 'bank'] as const) {
      for (const { key } of stationsOf(state, kind)) {
        expect(Object.keys(ru)).toContain(`stations.${key}`);
        expect(Object.keys(en)).toContain(`stations.${key}`);
      }
    }
  });

  it('waits for confirmations only where there is a network to confirm', () => {
    expect(stationsOf('payment_seen', 'crypto')[1]).toEqual({ key: 'confirmations', mark: 'wait' });
    expect(stationsOf('payment_seen', 'bank')[1]).toEqual({ key: 'arrival', mark: 'wait' });
  });

  it('maps only the five final states to the two final pages', () => {
    const pages = Object.fromEntries(
      STATES.map((state) => [state, finalPageOf(state)]).filter(([, page]) => page !== null),
    );
    expect(pages).toEqual({
      completed: 'success',
      refunded: 'fail',
      cancelled: 'fail',
      expired: 'fail',
      rejected: 'fail',
    });
  });
});
