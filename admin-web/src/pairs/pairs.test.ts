import { describe, expect, it } from 'vitest';
import { draftOf, patchOf, wrongNumbers } from './draft.ts';
import { countStates, type Pair, rateText, readableRate, stateText } from './matrix.ts';

const pair = (more: Partial<Pair> = {}): Pair => ({
  id: 1,
  giveId: 1,
  receiveId: 6,
  enabled: true,
  source: 'market',
  manualRate: null,
  spreadPercent: '1.8',
  fees: { from: { fixed: '0', percent: '0' }, to: { fixed: '0', percent: '0' } },
  tiers: [],
  limits: { from: { min: '0.0005', max: null }, to: { min: null, max: null } },
  hold: 20,
  reportedMinutes: null,
  floating: false,
  verification: 'none',
  tolerance: { latePercent: null, amountFixed: null, amountPercent: null },
  notices: { general: null, from: null, to: null },
  state: 'ok',
  rate: '5904122.79',
  marketRate: '6012345',
  ratesOf: null,
  path: [],
  explanation: null,
  updatedAt: '2026-03-28T09:00:00Z',
  revision: 7,
  ...more,
});

describe('editing a direction', () => {
  it('sends only what was changed, with the revision that was read', () => {
    const draft = { ...draftOf(pair()), spreadPercent: '2,00' };
    expect(patchOf(pair(), draft)).toEqual({ revision: 7, spreadPercent: '2.00' });
  });

  it('has nothing to send when nothing was changed', () => {
    expect(patchOf(pair(), draftOf(pair()))).toBeNull();
  });

  it('clears a limit by an empty field', () => {
    const draft = { ...draftOf(pair()), fromMin: ' ' };
    expect(patchOf(pair(), draft)?.limits?.from).toEqual({ min: null, max: null });
  });

  it('takes the default tolerance for an empty field, and zero for zero', () => {
    const own = pair({ tolerance: { latePercent: '1.5', amountFixed: '0.0001', amountPercent: null } });
    expect(patchOf(own, { ...draftOf(own), lateTolerance: ' ', amountTolerance: '0' })?.tolerance).toEqual({
      latePercent: null,
      amountFixed: '0',
      amountPercent: null,
    });
    expect(patchOf(own, draftOf(own))).toBeNull();
    expect(wrongNumbers({ ...draftOf(own), amountTolerancePercent: 'NaN' })).toEqual(['amountTolerancePercent']);
  });

  it('leaves how long a reported payment is waited for to the settings by an empty field', () => {
    const own = pair({ reportedMinutes: 60 });
    expect(patchOf(own, { ...draftOf(own), reportedMinutes: ' ' })).toEqual({ revision: 7, reportedMinutes: null });
    expect(patchOf(pair(), { ...draftOf(pair()), reportedMinutes: '90' })?.reportedMinutes).toBe(90);
    expect(patchOf(own, draftOf(own))).toBeNull();
    expect(wrongNumbers({ ...draftOf(own), reportedMinutes: 'час' })).toEqual(['reportedMinutes']);
  });

  it('writes a notice in both languages and drops one that is empty in both', () => {
    const draft = draftOf(pair());
    draft.notices = {
      ...draft.notices,
      general: { ru: { title: 'Работы', message: '' }, en: { title: '', message: '' } },
    };
    expect(patchOf(pair(), draft)?.notices?.general?.ru).toEqual({ title: 'Работы', message: '' });
    const noticed = pair({ notices: { general: draft.notices.general, from: null, to: null } });
    const cleared = draftOf(noticed);
    cleared.notices.general = { ru: { title: ' ', message: '' }, en: { title: '', message: '' } };
    expect(patchOf(noticed, cleared)?.notices).toEqual({ general: null, from: null, to: null });
  });

  it('names the fields that are no numbers', () => {
    const draft = { ...draftOf(pair()), hold: '', spreadPercent: 'много', tiers: [{ min: 'x', addPercent: '0.1' }] };
    expect(wrongNumbers(draft)).toEqual(['spreadPercent', 'hold', 'tiers.0.min']);
    expect(wrongNumbers({ ...draftOf(pair()), source: 'manual' })).toEqual(['manualRate']);
  });
});

describe('the matrix', () => {
  it('inverts tiny rates', () => {
    expect(readableRate('0.00001633')).toEqual({ text: '61236.98', inverted: true });
    expect(readableRate('92.4')).toEqual({ text: '92.4', inverted: false });
  });

  it('writes two rates of a comparison the same way round', () => {
    expect(rateText('0.0496612900', 'ru')).toBe('0,04966129');
    expect(rateText('0.0025', 'en', '0.049')).toBe('0.0025');
    expect(rateText('0.0125', 'en', '0.0025')).toBe('1/80');
    expect(rateText('0', 'en', '0.0025')).toBe('0');
    expect(rateText(null, 'en', '0.0025')).toBe('');
  });

  it('names a loop that gains, and only where it suspends the pair', () => {
    const causes = new Map([[1, 'arbitrage' as const]]);
    expect(stateText(pair({ state: 'stopped' }), causes)).toBe('arbitrage');
    expect(stateText(pair({ id: 2, state: 'stopped' }), causes)).toBe('stopped');
    expect(stateText(pair({ state: 'off' }), causes)).toBe('off');
  });

  it('counts the pairs that work, are in trouble and are off', () => {
    expect(
      countStates([pair(), pair({ state: 'stale' }), pair({ state: 'no_reserve' }), pair({ state: 'off' })]),
    ).toEqual({
      ok: 1,
      trouble: 2,
      off: 1,
    });
  });
});
