import type { Schema } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

export type PaymentRequisite = Schema<'PaymentRequisiteView'>;
type Identification = Schema<'RequisiteIdentification'>;

/** The currencies that are paid to payment details: cash is handed in at the place of its city. */
export const payable = (currencies: Schema<'CurrencyDetails'>[]) => currencies.filter(({ kind }) => kind !== 'cash');

export const IDENTIFICATIONS: Identification[] = ['none', 'memo', 'amount'];

const AMOUNTS = ['minAmount', 'maxAmount', 'dailyLimit', 'monthlyLimit', 'turnoverLimit'] as const;
const NUMBERS = ['dailyCount', 'coolingMinutes'] as const;

export const limitsOf = (requisite: PaymentRequisite | null) => ({
  minAmount: requisite?.minAmount ?? '',
  maxAmount: requisite?.maxAmount ?? '',
  dailyLimit: requisite?.dailyLimit ?? '',
  monthlyLimit: requisite?.monthlyLimit ?? '',
  turnoverLimit: requisite?.turnoverLimit ?? '',
  dailyCount: String(requisite?.dailyCount ?? ''),
  coolingMinutes: String(requisite?.coolingMinutes || ''),
  oneTime: requisite?.oneTime ?? false,
  identification: requisite?.identification ?? 'none',
});

/** The limits of payment details as they are typed; what is empty is unlimited. */
export type LimitsDraft = ReturnType<typeof limitsOf>;

const isWhole = (text: string): boolean => /^\d{0,7}$/.test(text.trim());

export const areLimits = (draft: LimitsDraft): boolean =>
  AMOUNTS.every((name) => draft[name].trim() === '' || typedDecimal(draft[name]) !== null) &&
  NUMBERS.every((name) => isWhole(draft[name]));

const wholeOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** The limits as the API changes them: null removes one. */
export const limitsChange = (draft: LimitsDraft) => ({
  minAmount: typedDecimal(draft.minAmount),
  maxAmount: typedDecimal(draft.maxAmount),
  dailyLimit: typedDecimal(draft.dailyLimit),
  monthlyLimit: typedDecimal(draft.monthlyLimit),
  turnoverLimit: typedDecimal(draft.turnoverLimit),
  dailyCount: wholeOf(draft.dailyCount),
  coolingMinutes: wholeOf(draft.coolingMinutes) ?? 0,
  oneTime: draft.oneTime,
  identification: draft.identification,
});

/** The same for new payment details, where there is nothing to remove. */
export const limitsNew = (draft: LimitsDraft) => {
  const { minAmount, maxAmount, dailyLimit, monthlyLimit, turnoverLimit, dailyCount, ...rest } = limitsChange(draft);
  return {
    minAmount: minAmount ?? undefined,
    maxAmount: maxAmount ?? undefined,
    dailyLimit: dailyLimit ?? undefined,
    monthlyLimit: monthlyLimit ?? undefined,
    turnoverLimit: turnoverLimit ?? undefined,
    dailyCount: dailyCount ?? undefined,
    ...rest,
  };
};
