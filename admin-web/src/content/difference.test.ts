import { describe, expect, it } from 'vitest';
import { difference, nearChanges } from './difference.ts';

const brief = (before: string, after: string) =>
  difference(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);

describe('the difference of two texts', () => {
  it('keeps what is common and names what is not', () => {
    expect(brief('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
    expect(brief('a\nb', 'a\nb')).toEqual([' a', ' b']);
    expect(brief('', 'a')).toEqual(['-', '+a']);
    expect(brief('a\nb\nc\nd', 'b\nd\ne')).toEqual(['-a', ' b', '-c', ' d', '+e']);
  });

  it('gives both texts back', () => {
    const [before, after] = ['one\ntwo\nthree\n', 'zero\ntwo\nthree\nfour\n'];
    const lines = difference(before, after);
    const side = (kind: string) =>
      lines
        .filter((line) => line.kind !== kind)
        .map(({ text }) => text)
        .join('\n');
    expect([side('added'), side('removed')]).toEqual([before, after]);
  });

  it('leaves out what is far from any change', () => {
    const before = Array.from({ length: 12 }, (_, line) => String(line));
    const shown = nearChanges(difference(before.join('\n'), before.with(6, 'x').join('\n')));
    expect(shown.map((line) => line?.text ?? '…')).toEqual(['…', '4', '5', '6', 'x', '7', '8', '…']);
    expect(nearChanges(difference('a', 'a'))).toEqual([null]);
  });
});
