import { describe, expect, it } from 'vitest';
import { add, compare, inverse, isDecimal, share, significant, typedDecimal } from './decimal.ts';

describe('decimals as text', () => {
  it('compare by value, not by characters', () => {
    expect(compare('10', '9.99999999')).toBe(1);
    expect(compare('1.50', '1.5')).toBe(0);
    expect(compare('-2', '-1')).toBe(-1);
    expect(compare('0.1', '0.10000000000000000001')).toBe(-1);
  });

  it('add without losing a digit', () => {
    expect(add('0.1', '0.2')).toBe('0.3');
    expect(add('9007199254740993', '0.00000001')).toBe('9007199254740993.00000001');
    expect(add('1.5', '-2')).toBe('-0.5');
  });

  it('show a share between nothing and all', () => {
    expect(share('25', '100')).toBe(0.25);
    expect(share('300', '100')).toBe(1);
    expect(share('-1', '100')).toBe(0);
    expect(share('1', '0')).toBe(1);
  });

  it('invert a rate for reading', () => {
    expect(inverse('0.00001633', 7)).toBe('61236.98');
    expect(inverse('4', 5)).toBe('0.25');
  });

  it('cut to significant digits but never whole ones', () => {
    expect(significant('5904122.791234', 7)).toBe('5904122');
    expect(significant('92.40001234', 4)).toBe('92.4');
    expect(significant('0.000123456', 3)).toBe('0.000123');
    expect(significant('123456789', 3)).toBe('123456789');
  });

  it('take what a cashier types', () => {
    expect(typedDecimal('150\u00a0000,50')).toBe('150000.50');
    expect(typedDecimal(' +12 ')).toBe('12');
    expect(typedDecimal('\u22120,5')).toBe('-0.5');
    for (const wrong of ['', '1,2,3', '12а', '1e5', '.5', 'NaN']) expect(typedDecimal(wrong)).toBeNull();
    expect(isDecimal('1.')).toBe(false);
  });
});
