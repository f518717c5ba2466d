import type { ReferralKind, ReferralProgramme, ReferralTermsInput } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

/** The terms of a programme as they are typed. */
export type Draft = {
  name: string;
  kind: ReferralKind;
  tiers: { from: string; percent: string }[];
  accrualMin: string;
  holdHours: string;
  withdrawalMin: string;
};

export const draftOf = (programme: ReferralProgramme | null): Draft => ({
  name: programme?.name ?? '',
  kind: programme?.kind ?? 'profit',
  tiers: programme?.tiers.map(({ from, percent }) => ({ from, percent })) ?? [{ from: '0', percent: '' }],
  accrualMin: programme?.accrualMin ?? '0.01',
  holdHours: String(programme?.holdHours ?? 72),
  withdrawalMin: programme?.withdrawalMin ?? '10',
});

/** The terms as the server takes them; null while something is missing. */
export function termsOf(draft: Draft): ReferralTermsInput | null {
  const tiers = draft.tiers.map(({ from, percent }) => ({ from: typedDecimal(from), percent: typedDecimal(percent) }));
  const accrualMin = typedDecimal(draft.accrualMin);
  const withdrawalMin = typedDecimal(draft.withdrawalMin);
  const whole = tiers.flatMap(({ from, percent }) => (from === null || percent === null ? [] : [{ from, percent }]));
  const holdHours = /^\d{1,6}$/.test(draft.holdHours.trim()) ? Number(draft.holdHours) : null;
  if (!draft.name.trim() || whole.length < tiers.length || accrualMin === null || withdrawalMin === null) return null;
  if (holdHours === null) return null;
  return { name: draft.name.trim(), kind: draft.kind, tiers: whole, accrualMin, holdHours, withdrawalMin };
}
