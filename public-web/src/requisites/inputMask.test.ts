import { readFileSync } from 'node:fs';
import { inMask } from './inputMask';

type Vector = { mask: string; typed: string; filled?: string; typing?: string };
const file = new URL('../../../openapi/vectors/masks.json', import.meta.url);

describe('a mask', () => {
  it.each<Vector>(JSON.parse(readFileSync(file, 'utf8')))(
    '$mask makes of "$typed"',
    ({ mask, typed, filled, typing }) => {
      expect(inMask(mask, typed)).toBe(filled ?? typing);
    },
  );

  it('grows with what is typed, and shrinks with what is deleted', () => {
    let shown = '';
    const seen = [...'12345678'].map((sign) => {
      shown = inMask('##-####', shown + sign);
      return shown;
    });
    expect(seen).toEqual(['1', '12', '12-3', '12-34', '12-345', '12-3456', '12-34567', '12-345678']);
    expect(inMask('##-####', '12-')).toBe('12-');
    expect(inMask('##-####', '12')).toBe('12');
  });
});
