import type { Schema } from '@agio/client/admin';
import { fieldText, instantOf } from '../ui/dateTime.ts';
import { typedDecimal } from '../ui/decimal.ts';

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
  volumePerTicket: string;
  maxTickets: string;
  prizes: PrizeDraft[];
};

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** What a plan begins with: the contest's own, or a month from tomorrow on. */
export function draftOf(contest: Schema<'ContestDetails'> | null, now: number): PlanDraft {
  if (contest) {
    return {
      title: contest.title,
      rules: contest.rules,
      source: contest.source,
      startsAt: fieldText(new Date(contest.startsAt)),
      endsAt: fieldText(new Date(contest.endsAt)),
      publicAt: fieldText(new Date(contest.publicAt)),
      volumePerTicket: contest.volumePerTicket ?? '',
      maxTickets: String(contest.maxTickets),
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
    volumePerTicket: '100',
    maxTickets: '100',
    prizes: [{ currencyId: '', amount: '' }],
  };
}

/** The plan that was typed, or null while something is missing. */
export function planOf(draft: PlanDraft): Schema<'ContestPlanRequest'> | null {
  const [startsAt, endsAt, publicAt] = [draft.startsAt, draft.endsAt, draft.publicAt].map(instantOf);
  const volumePerTicket = typedDecimal(draft.volumePerTicket);
  const prizes = draft.prizes.map(({ currencyId, amount }) => ({
    currencyId: Number(currencyId),
    amount: typedDecimal(amount),
  }));
  const isWhole =
    startsAt &&
    endsAt &&
    publicAt &&
    /^\d{1,4}$/.test(draft.maxTickets) &&
    (volumePerTicket !== null || draft.volumePerTicket.trim() === '');
  if (!isWhole || prizes.some(({ currencyId, amount }) => currencyId === 0 || amount === null)) return null;
  return {
    title: draft.title,
    rules: draft.rules,
    source: draft.source,
    startsAt,
    endsAt,
    publicAt,
    volumePerTicket,
    maxTickets: Number(draft.maxTickets),
    prizes: prizes.map(({ currencyId, amount }) => ({ currencyId, amount: amount ?? '' })),
  };
}
