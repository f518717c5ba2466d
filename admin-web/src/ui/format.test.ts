import { describe, expect, it } from 'vitest';
import { ageText, amountText, figuresIn, fuseText, initials, percentText, sizeText, unitOf } from './format.ts';

describe('amounts', () => {
  it('are written as usual', () => {
    expect(amountText('-1234567.50', 'ru')).toBe('\u22121\u00a0234\u00a0567,5');
    expect(amountText('1234567.5', 'en')).toBe('1,234,567.5');
    expect(percentText('-0.50', 'ru')).toBe('\u22120,5\u00a0%');
    expect(percentText('2', 'en')).toBe('2%');
  });
});

describe('figures in a text', () => {
  it('are grouped where they stand alone, and left where they are a part of a name', () => {
    expect(figuresIn('1 BTC = 6012345.50 RUB', 'ru')).toBe('1 BTC = 6\u00a0012\u00a0345,5 RUB');
    expect(figuresIn('1000000 USDTTRC20 (2.5 %)', 'en')).toBe('1,000,000 USDTTRC20 (2.5 %)');
    expect(figuresIn('TRC20 28.03.2024', 'ru')).toBe('TRC20 28.03.2024');
  });
});

describe('a currency beside a sum', () => {
  it('is named by its network where the ticker does not say it', () => {
    expect(unitOf({ ticker: 'USDT', network: 'TRC20' })).toBe('USDT TRC20');
    expect(unitOf({ ticker: 'TON', network: 'TON' })).toBe('TON');
    expect(unitOf({ ticker: 'XYZ', network: '' })).toBe('XYZ');
  });
});

describe('times', () => {
  const minute = 60_000;

  it('burn down to the second and go on below zero', () => {
    expect(fuseText(4 * minute + 12_000, 'ru')).toBe('4:12');
    expect(fuseText(-22 * minute - 11_000, 'ru')).toBe('\u221222:11');
    expect(fuseText(130 * minute, 'ru')).toBe('2\u00a0ч\u00a010');
    expect(fuseText(72 * 60 * minute, 'en')).toBe('3\u00a0d');
  });

  it('show an age in one unit', () => {
    expect(ageText(20_000, 'ru')).toBe('сейчас');
    expect(ageText(74 * minute, 'ru')).toBe('74\u00a0мин');
    expect(ageText(3 * 60 * minute, 'en')).toBe('3\u00a0h');
    expect(ageText(-minute, 'en')).toBe('now');
  });

  it('shorten names and sizes', () => {
    expect(initials('Анна Котова')).toBe('АК');
    expect(initials('Owner')).toBe('O');
    expect(sizeText(143_360, 'ru')).toBe('140\u00a0КБ');
    expect(sizeText(3_400_000, 'ru')).toBe('3,2\u00a0МБ');
  });
});
