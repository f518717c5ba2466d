import { describe, expect, it } from 'vitest';
import { Problem } from '../api/problem.ts';
import { grouped, isOutside, type Setting, unconfirmedOf, withDraft } from './drafts.ts';

const setting = (key: string, more: Partial<Setting> = {}): Setting => ({
  key,
  group: key.split('.')[0] ?? '',
  kind: 'text',
  value: 'a',
  default: '',
  range: null,
  title: key,
  help: '',
  updatedAt: null,
  updatedBy: null,
  ...more,
});

describe('settings', () => {
  it('forget a change that was typed back', () => {
    const name = setting('site.name');
    expect(withDraft({}, name, 'b')).toEqual({ 'site.name': 'b' });
    expect(withDraft({ 'site.name': 'b', 'site.mail': 'c' }, name, 'a')).toEqual({ 'site.mail': 'c' });
  });

  it('are confirmed one by one where the server asks for it, and only there', () => {
    const name = 'rates.allow_arbitrage';
    const settings = [setting('site.name'), setting(name, { kind: 'bool', value: 'false' })];
    const errors = { [name]: [{ code: 'confirmation_needed', message: '' }] };
    const refused = (code: string) => new Problem(422, { code, errors });
    expect(unconfirmedOf(refused('confirmation_needed'), settings)?.key).toBe(name);
    expect(unconfirmedOf(refused('validation_failed'), settings)).toBeNull();
    expect(unconfirmedOf(null, settings)).toBeNull();
  });

  it('stand by group in the order they come', () => {
    const groups = grouped([setting('site.name'), setting('rates.age'), setting('site.mail')]);
    expect(groups.map(({ name, settings }) => [name, settings.length])).toEqual([
      ['site', 2],
      ['rates', 1],
    ]);
  });

  it('know their range', () => {
    const minutes = setting('claims.minutes', { kind: 'int', range: { min: 5, max: 120 } });
    expect(['4', '121', '', '7.5', 'x'].filter((value) => !isOutside(minutes, value))).toEqual([]);
    expect(isOutside(minutes, '5')).toBe(false);
    expect(isOutside(setting('site.name'), '')).toBe(false);
  });
});
