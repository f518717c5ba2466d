import type { Schema } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

export const draftOf = (plan: Schema<'ReferralPlanView'> | null) => ({
  name: plan?.name ?? '',
  kind: plan?.kind ?? 'profit',
  tiers: plan?.tiers.map(({ from, percent }) => ({ from, percent })) ?? [{ from: '0', percent: '' }],
  minCommission: plan?.minCommission ?? '0.01',
  holdHours: String(plan?.holdHours ?? 72),
  withdrawalMin: plan?.withdrawalMin ?? '10',
});

/** The terms of a plan as they are typed. */
export type Draft = ReturnType<typeof draftOf>;

/** The terms as the server takes them; null while something is missing. */
export function termsOf(draft: Draft): Schema<'ReferralPlanRequest'> | null {
  const tiers = draft.tiers.map(({ from, percent }) => ({ from: typedDecimal(from), percent: typedDecimal(percent) }));
  const minCommission = typedDecimal(draft.minCommission);
  const withdrawalMin = typedDecimal(draft.withdrawalMin);
  const whole = tiers.flatMap(({ from, percent }) => (from === null || percent === null ? [] : [{ from, percent }]));
  const holdHours = /^\d{1,6}$/.test(draft.holdHours.trim()) ? Number(draft.holdHours) : null;
  if (!draft.name.trim() || whole.length < tiers.length || minCommission === null || withdrawalMin === null)
    return null;
  if (holdHours === null) return null;
  return { name: draft.name.trim(), kind: draft.kind, tiers: whole, minCommission, holdHours, withdrawalMin };
}
