import { expect, test } from 'vitest';
import { accentsOf, contrast, DEFAULT_ACCENT, figuresOf, isColor, textOn } from './contrast.ts';

test('contrasts are those of the standard', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 6);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
  expect(textOn('#0f766e')).toBe('#ffffff');
  expect(textOn(DEFAULT_ACCENT)).toBe('#122b2c');
});

test('the figures say what the server refuses', () => {
  expect(figuresOf('#0f766e', 'light').graphic.isEnough).toBe(true);
  expect(figuresOf('#0f766e', 'dark').graphic.isEnough).toBe(true);
  expect(figuresOf('#fde68a', 'light').graphic).toEqual({ value: '1.10', isEnough: false });
  expect(figuresOf('#1e1b4b', 'dark').graphic.isEnough).toBe(false);
  expect(figuresOf('#8c8c8c', 'dark').text.isEnough).toBe(false);
  expect(figuresOf(DEFAULT_ACCENT, 'light').graphic.isEnough, 'the default is as the site was drawn').toBe(true);
});

test('the dark theme has the accent of the light one until it has its own', () => {
  expect(accentsOf('', '')).toEqual({ light: DEFAULT_ACCENT, dark: DEFAULT_ACCENT });
  expect(accentsOf('#0F766E', '')).toEqual({ light: '#0f766e', dark: '#0f766e' });
  expect(accentsOf('#0f766e', '#5eead4').dark).toBe('#5eead4');
  expect(isColor('#0f766')).toBe(false);
});
