import { AMOUNT_LIMIT, AMOUNT_SCALE, fromUnits, toUnits } from './decimal';

/** Longer than any amount, and short enough to parse at every keystroke. */
const MAX_LENGTH = 64;

/** Spaces of every width, as in pasted numbers. */
const SPACES = /[\s\u00a0\u2007\u2009\u202f]/g;

/** Whole digits in groups of three, as "1.234" or "12,345,678"; a group never begins a number with zero. */
const GROUPED = /^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*$/;

/**
 * Reads what a customer typed or pasted into a plain decimal string, or null when it is no amount.
 *
 * In Russian a single comma or point is always the decimal sign. In English a comma groups
 * thousands; "1,5" is refused rather than guessed, because one more digit would make it 150 or
 * 1500. Where both signs occur, the last one is the decimal sign. Digits are never dropped: more
 * than eight decimals, and 10^12 or more, are no amount.
 */
export function normalise(typed: string, locale: 'ru' | 'en'): string | null {
  const text = typed.replace(SPACES, '');
  if (text === '' || text.length > MAX_LENGTH || !/^[\d.,]+$/.test(text)) return null;
  const plain = decimalPoint(text, locale);
  if (plain === null || !/^(?:\d+\.?\d*|\.\d+)$/.test(plain)) return null;
  const [whole = '', fraction = ''] = plain.split('.');
  const decimals = fraction.replace(/0+$/, '');
  if (decimals.length > AMOUNT_SCALE) return null;
  const units = toUnits(`${whole || '0'}.${decimals || '0'}`, AMOUNT_SCALE);
  return units < AMOUNT_LIMIT ? fromUnits(units) : null;
}

/** Removes grouping signs and turns the decimal sign into a point; null where it is ambiguous. */
function decimalPoint(text: string, locale: 'ru' | 'en'): string | null {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (last < 0) return text;
  const sign = text[last];
  const whole = text.slice(0, last);
  const fraction = text.slice(last + 1);
  if (/[.,]/.test(whole)) {
    return whole.includes(sign as string) ? ungroup(text) : joined(ungroup(whole), fraction);
  }
  const isComma = sign === ',';
  if (isComma && locale === 'en' && !/^0*$/.test(whole)) return ungroup(text);
  return joined(whole, fraction);
}

function ungroup(text: string): string | null {
  return GROUPED.test(text) ? text.replace(/[.,]/g, '') : null;
}

function joined(whole: string | null, fraction: string): string | null {
  return whole === null ? null : `${whole}.${fraction}`;
}
