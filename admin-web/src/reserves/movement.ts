import type { Schema } from '@agio/client/admin';
import { add, isNegative, isZero, typedDecimal } from '../ui/decimal.ts';

export type MovementDraft = { reason: Schema<'ReserveMovementReason'>; amount: string; note: string };

/**
 * The signed amount of what was typed: a deposit adds and a withdrawal takes, whatever sign is typed;
 * a correction keeps its sign. Null for an invalid amount.
 */
export function signedAmount({ reason, amount }: MovementDraft): string | null {
  const typed = typedDecimal(amount);
  if (typed === null || isZero(typed)) return null;
  const plain = typed.replace('-', '');
  if (reason === 'deposit') return plain;
  if (reason === 'withdrawal') return `-${plain}`;
  return typed;
}

/** What would be free afterwards, and whether that is possible at all. */
export function after(available: string, draft: MovementDraft): { amount: string; possible: boolean } | null {
  const signed = signedAmount(draft);
  if (signed === null) return null;
  const amount = add(available, signed);
  return { amount, possible: !isNegative(amount) };
}
