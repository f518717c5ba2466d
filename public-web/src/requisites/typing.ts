import type { RequisiteKind } from '../api/types';

interface Typing {
  inputMode?: 'numeric' | 'tel' | 'email' | 'text';
  autoComplete: string;
  type?: 'email' | 'tel';
}

/** The keyboard and autofill of a kind, or of a mask without letters. */
export function typingOf(kind: RequisiteKind, mask?: string | null): Typing {
  if (mask && !/[@*\p{L}]/u.test(mask)) return { inputMode: 'numeric', autoComplete: 'off' };
  switch (kind) {
    case 'card':
      return { inputMode: 'numeric', autoComplete: 'cc-number' };
    case 'account_ru':
    case 'tag':
      return { inputMode: 'numeric', autoComplete: 'off' };
    case 'phone':
      return { inputMode: 'tel', autoComplete: 'tel', type: 'tel' };
    case 'email':
      return { inputMode: 'email', autoComplete: 'email', type: 'email' };
    case 'holder':
      return { autoComplete: 'name' };
    default:
      return { autoComplete: 'off' };
  }
}

/** Formats a value as on a card or a bank statement. */
export function written(kind: RequisiteKind, value: string): string {
  const clean = value.replace(/[\u200b-\u200f\u2060\ufeff]/g, '').trim();
  const bare = clean.replace(/[\s-]/g, '');
  if (kind === 'card' && /^\d{12,19}$/.test(bare)) return bare.replace(/(.{4})(?=.)/g, '$1 ');
  if (kind === 'iban' && /^[a-z]{2}\d{2}[a-z0-9]+$/i.test(bare)) {
    return bare.toUpperCase().replace(/(.{4})(?=.)/g, '$1 ');
  }
  return clean;
}
