const BLANKS: Record<string, RegExp> = { '#': /\d/, '@': /[a-z]/i, '*': /[a-z\d]/i };
const WORDS = /[\p{L}\p{N}]/u;

/**
 * What was typed in the form of a mask: `#` is a digit, `@` a Latin letter, `*` either, other characters stand for
 * themselves. As far as it goes, and as it was typed where it does not fit. The server fills masks the same way
 * (platform/requisites/src/input_mask.rs).
 */
export function inMask(mask: string, typed: string): string {
  const rest = [...typed].filter((sign) => !/\s/.test(sign));
  const skipSeparators = () => {
    while (rest[0] !== undefined && !WORDS.test(rest[0])) rest.shift();
  };
  let filled = '';
  /** What stands between the signs so far and the next one. */
  let between = '';
  for (const place of mask) {
    const blank = BLANKS[place];
    if (blank || WORDS.test(place)) skipSeparators();
    if (!blank) {
      between += place;
      if (rest[0] === place) {
        rest.shift();
        filled += between;
        between = '';
      }
      continue;
    }
    const sign = rest.shift();
    if (sign === undefined) return filled;
    if (!blank.test(sign)) return typed;
    filled += between + sign;
    between = '';
  }
  skipSeparators();
  return rest.length === 0 ? filled + between : typed;
}
