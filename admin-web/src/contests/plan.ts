import type { Contest, ContestPlan } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';
import { fieldText, momentOf } from '../ui/moment.ts';

export type PrizeDraft = { currencyId: string; amount: string };

/** A plan as it is typed. */
export type PlanDraft = {
  title: { ru: string; en: string };
  rules: { ru: string; en: string };
  source: { ru: string; en: string };
  /** Moments in the operator's own time, as the browser's field writes them. */
  startsAt: string;
  endsAt: string;
  publicAt: string;
  perWorth: string;
  mostWeight: string;
  prizes: PrizeDraft[];
};

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** What a plan begins with: the contest's own, or a month from tomorrow on. */
export function draftOf(contest: Contest | null, now: number): PlanDraft {
  if (contest) {
    return {
      title: contest.title,
      rules: contest.rules,
      source: contest.source,
      startsAt: fieldText(new Date(contest.startsAt)),
      endsAt: fieldText(new Date(contest.endsAt)),
      publicAt: fieldText(new Date(contest.publicAt)),
      perWorth: contest.perWorth ?? '',
      mostWeight: String(contest.mostWeight),
      prizes: contest.prizes.map(({ currencyId, amount }) => ({ currencyId: String(currencyId), amount })),
    };
  }
  const tomorrow = new Date(now + DAY_MS).setHours(0, 0, 0, 0);
  const blank = { ru: '', en: '' };
  return {
    title: blank,
    rules: blank,
    source: blank,
    startsAt: fieldText(new Date(tomorrow)),
    endsAt: fieldText(new Date(tomorrow + 30 * DAY_MS)),
    publicAt: fieldText(new Date(tomorrow + 30 * DAY_MS + 12 * HOUR_MS)),
    perWorth: '100',
    mostWeight: '100',
    prizes: [{ currencyId: '', amount: '' }],
  };
}

/** The plan that was typed, or null while something is missing. */
export function planOf(draft: PlanDraft): ContestPlan | null {
  const [startsAt, endsAt, publicAt] = [draft.startsAt, draft.endsAt, draft.publicAt].map(momentOf);
  const perWorth = typedDecimal(draft.perWorth);
  const prizes = draft.prizes.map(({ currencyId, amount }) => ({
    currencyId: Number(currencyId),
    amount: typedDecimal(amount),
  }));
  const isWhole =
    startsAt &&
    endsAt &&
    publicAt &&
    /^\d{1,4}$/.test(draft.mostWeight) &&
    (perWorth !== null || draft.perWorth.trim() === '');
  if (!isWhole || prizes.some(({ currencyId, amount }) => currencyId === 0 || amount === null)) return null;
  return {
    title: draft.title,
    rules: draft.rules,
    source: draft.source,
    startsAt,
    endsAt,
    publicAt,
    perWorth,
    mostWeight: Number(draft.mostWeight),
    prizes: prizes.map(({ currencyId, amount }) => ({ currencyId, amount: amount ?? '' })),
  };
}
