// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { isTaken, keyName, type Press } from './keys.ts';

const press = (code: string, more: Partial<Press> = {}): Press => ({
  code,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  target: null,
  ...more,
});

const element = (html: string): Element => {
  document.body.innerHTML = html;
  return document.body.querySelector('[data-here]') ?? document.body;
};

describe('keyboard shortcuts', () => {
  it('go by the place on the keyboard, so the Russian layout changes nothing', () => {
    expect(keyName(press('KeyJ'))).toBe('j');
    expect(keyName(press('Digit7'))).toBe('7');
    expect(keyName(press('Slash'))).toBe('/');
    expect(keyName(press('Slash', { shiftKey: true }))).toBe('?');
    expect(keyName(press('Escape'))).toBe('escape');
  });

  it('leave shortcuts of the browser alone', () => {
    expect(keyName(press('KeyR', { ctrlKey: true }))).toBeNull();
    expect(keyName(press('KeyT', { metaKey: true }))).toBeNull();
    expect(keyName(press('KeyY', { shiftKey: true }))).toBeNull();
    expect(keyName(press('F5'))).toBeNull();
  });

  it('never fire inside a field or a dialog', () => {
    expect(isTaken('y', element('<input data-here>'))).toBe(true);
    expect(isTaken('y', element('<textarea data-here></textarea>'))).toBe(true);
    expect(isTaken('y', element('<div role="dialog"><button data-here>ok</button></div>'))).toBe(true);
    expect(isTaken('y', element('<table><tr><td data-here></td></tr></table>'))).toBe(false);
  });

  it('let Enter press the button it stands on', () => {
    const button = element('<button data-here>ok</button>');
    expect(isTaken('enter', button)).toBe(true);
    expect(isTaken('j', button)).toBe(false);
  });
});
