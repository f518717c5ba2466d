import { describe, expect, it } from 'vitest';
import { changedTerms, draftOf, patchOf, termsOf, wrongNumbers } from './draft.ts';
import { countStates, rateText, readableRate, stateText } from './matrix.ts';
import { pairWith } from './testing.ts';

describe('editing a direction', () => {
  it('sends only what was changed, with the revision that was read', () => {
    const draft = { ...draftOf(pairWith()), spreadPercent: '2,00' };
    expect(patchOf(pairWith(), draft)).toEqual({ revision: 7, spreadPercent: '2.00' });
  });

  it('has nothing to send when nothing was changed', () => {
    expect(patchOf(pairWith(), draftOf(pairWith()))).toBeNull();
  });

  it('clears a limit by an empty field', () => {
    const draft = { ...draftOf(pairWith()), fromMin: ' ' };
    expect(patchOf(pairWith(), draft)?.limits?.from).toEqual({ min: null, max: null, step: null });
  });

  it('sets a step, and says when it is no number', () => {
    const draft = { ...draftOf(pairWith()), toStep: '100' };
    expect(patchOf(pairWith(), draft)?.limits?.to).toEqual({ min: null, max: null, step: '100' });
    expect(wrongNumbers({ ...draft, fromStep: 'many' })).toEqual(['fromStep']);
  });

  it('takes the default tolerance for an empty field, and zero for zero', () => {
    const own = pairWith({ tolerance: { latePercent: '1.5', amountFixed: '0.0001', amountPercent: null } });
    expect(patchOf(own, { ...draftOf(own), lateTolerance: ' ', amountTolerance: '0' })?.tolerance).toEqual({
      latePercent: null,
      amountFixed: '0',
      amountPercent: null,
    });
    expect(patchOf(own, draftOf(own))).toBeNull();
    expect(wrongNumbers({ ...draftOf(own), amountTolerancePercent: 'NaN' })).toEqual(['amountTolerancePercent']);
  });

  it('leaves how long a reported payment is waited for to the settings by an empty field', () => {
    const own = pairWith({ reportedMinutes: 60 });
    expect(patchOf(own, { ...draftOf(own), reportedMinutes: ' ' })).toEqual({ revision: 7, reportedMinutes: null });
    expect(patchOf(pairWith(), { ...draftOf(pairWith()), reportedMinutes: '90' })?.reportedMinutes).toBe(90);
    expect(patchOf(own, draftOf(own))).toBeNull();
    expect(wrongNumbers({ ...draftOf(own), reportedMinutes: 'час' })).toEqual(['reportedMinutes']);
  });

  it('writes a notice in both languages and drops one that is empty in both', () => {
    const draft = draftOf(pairWith());
    draft.notices = {
      ...draft.notices,
      general: { ru: { title: 'Работы', message: '' }, en: { title: '', message: '' } },
    };
    expect(patchOf(pairWith(), draft)?.notices?.general?.ru).toEqual({ title: 'Работы', message: '' });
    const noticed = pairWith({ notices: { general: draft.notices.general, from: null, to: null } });
    const cleared = draftOf(noticed);
    cleared.notices.general = { ru: { title: ' ', message: '' }, en: { title: '', message: '' } };
    expect(patchOf(noticed, cleared)?.notices).toEqual({ general: null, from: null, to: null });
  });

  it('names the fields that are no numbers', () => {
    const draft = {
      ...draftOf(pairWith()),
      hold: '',
      spreadPercent: 'много',
      tiers: [{ min: 'x', addPercent: '0.1' }],
    };
    expect(wrongNumbers(draft)).toEqual(['spreadPercent', 'hold', 'tiers.0.min']);
    expect(wrongNumbers({ ...draftOf(pairWith()), source: 'manual' })).toEqual(['manualRate']);
  });
});

describe('a change of several directions', () => {
  it('lists each value that it changes, and none that stays', () => {
    const limits = {
      from: { min: '0.000500', max: '2', step: null },
      to: { min: null, max: null, step: '100' },
    };
    expect(changedTerms(pairWith(), { limits, spreadPercent: '1.80', hold: 30 })).toEqual([
      { path: 'limits.from.max', before: null, after: '2' },
      { path: 'limits.to.step', before: null, after: '100' },
      { path: 'hold', before: 20, after: 30 },
    ]);
  });

  it('names the texts of notices and writes a list as one value', () => {
    const notice = { title: 'A', message: 'B' };
    const { notices } = termsOf(draftOf(pairWith()));
    const set = { notices: { ...notices, to: { ru: notice, en: notice } }, tiers: [{ min: '10', addPercent: '1' }] };
    expect(changedTerms(pairWith(), set)).toEqual([
      { path: 'tiers', before: null, after: '10: 1' },
      { path: 'notices.to.ru.title', before: null, after: 'A' },
      { path: 'notices.to.ru.message', before: null, after: 'B' },
      { path: 'notices.to.en.title', before: null, after: 'A' },
      { path: 'notices.to.en.message', before: null, after: 'B' },
    ]);
  });

  it('says that archived directions are off', () => {
    expect(changedTerms(pairWith(), { archived: true }).map(({ path, after }) => [path, after])).toEqual([
      ['enabled', false],
      ['archived', true],
    ]);
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
    expect(stateText(pairWith({ state: 'stopped' }), causes)).toBe('arbitrage');
    expect(stateText(pairWith({ id: 2, state: 'stopped' }), causes)).toBe('stopped');
    expect(stateText(pairWith({ state: 'off' }), causes)).toBe('off');
  });

  it('counts the pairs that work, are in trouble and are off', () => {
    expect(
      countStates([
        pairWith(),
        pairWith({ state: 'stale' }),
        pairWith({ state: 'no_reserve' }),
        pairWith({ state: 'off' }),
      ]),
    ).toEqual({
      ok: 1,
      trouble: 2,
      off: 1,
    });
  });
});
