import type { Schema } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

/** A promo code as it is typed. */
export const EMPTY = {
  code: '',
  percent: '',
  usesMax: '',
  perCustomer: '1',
  min: '',
  startsAt: '',
  endsAt: '',
  note: '',
};

/** A whole number that may be left out; null when something else was typed. */
function whole(text: string): { value?: number } | null {
  const plain = text.trim();
  if (plain === '') return {};
  return /^\d{1,10}$/.test(plain) ? { value: Number(plain) } : null;
}

/** A local time as the API writes it. */
const instant = (local: string): string => new Date(local).toISOString();

/** What is sent; null while something is missing or is no number. What is left empty is left out. */
export function promoOf(draft: typeof EMPTY): Schema<'CreatePromoCodeRequest'> | null {
  const code = draft.code.trim();
  const percent = typedDecimal(draft.percent);
  const min = typedDecimal(draft.min);
  const usesMax = whole(draft.usesMax);
  const perCustomer = whole(draft.perCustomer);
  const isMinWrong = draft.min.trim() !== '' && min === null;
  if (code === '' || percent === null || isMinWrong || usesMax === null || perCustomer === null) return null;
  return {
    code,
    percent,
    ...(usesMax.value !== undefined && { usesMax: usesMax.value }),
    ...(perCustomer.value !== undefined && { perCustomer: perCustomer.value }),
    ...(min !== null && { min }),
    ...(draft.startsAt && { startsAt: instant(draft.startsAt) }),
    ...(draft.endsAt && { endsAt: instant(draft.endsAt) }),
    ...(draft.note.trim() && { note: draft.note.trim() }),
  };
}
