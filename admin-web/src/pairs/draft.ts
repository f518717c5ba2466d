import type { Schema } from '@agio/client/admin';
import { changesOf } from '../ui/changes.ts';
import { compare, isDecimal, typedDecimal } from '../ui/decimal.ts';
import type { Pair } from './matrix.ts';

type NoticeContent = Schema<'NoticeContent'>;
type LocalizedNotice = Schema<'LocalizedNotice'>;
export type NoticePlace = keyof Schema<'LocalizedPairNotices'>;
export type PairPatch = Schema<'UpdatePairRequest'> & { revision: number };
/** Everything of a pair that can be changed. */
export type PairTerms = Required<Omit<PairPatch, 'revision'>>;

export const PLACES: NoticePlace[] = ['general', 'from', 'to'];
const NO_NOTICE: NoticeContent = { title: '', message: '' };

const noticeOf = (texts: LocalizedNotice | null): LocalizedNotice => texts ?? { ru: NO_NOTICE, en: NO_NOTICE };

/** A new pair, as the server makes one when nothing is said. */
export const newDraft = () => ({
  enabled: false,
  archived: false,
  source: 'market' as Pair['source'],
  manualRate: '',
  spreadPercent: '0',
  feeFromFixed: '0',
  feeFromPercent: '0',
  feeToFixed: '0',
  feeToPercent: '0',
  networkFeePayer: 'exchange' as Pair['networkFeePayer'],
  fromMin: '',
  fromMax: '',
  toMin: '',
  toMax: '',
  fromStep: '',
  toStep: '',
  hold: '20',
  reportedMinutes: '',
  floating: false,
  verification: 'none' as Pair['verification'],
  lateTolerance: '',
  amountTolerance: '',
  amountTolerancePercent: '',
  tiers: [] as { min: string; addPercent: string }[],
  notices: { general: noticeOf(null), from: noticeOf(null), to: noticeOf(null) },
  customerTerms: noticeOf(null),
  cities: [] as string[],
});

/** The terms of a pair as they are typed. */
export type PairDraft = ReturnType<typeof newDraft>;

export const draftOf = (pair: Pair): PairDraft => ({
  enabled: pair.enabled,
  archived: pair.archived,
  source: pair.source,
  manualRate: pair.manualRate ?? '',
  spreadPercent: pair.spreadPercent,
  feeFromFixed: pair.fees.from.fixed,
  feeFromPercent: pair.fees.from.percent,
  feeToFixed: pair.fees.to.fixed,
  feeToPercent: pair.fees.to.percent,
  networkFeePayer: pair.networkFeePayer,
  fromMin: pair.limits.from.min ?? '',
  fromMax: pair.limits.from.max ?? '',
  toMin: pair.limits.to.min ?? '',
  toMax: pair.limits.to.max ?? '',
  fromStep: pair.limits.from.step ?? '',
  toStep: pair.limits.to.step ?? '',
  hold: String(pair.hold),
  reportedMinutes: pair.reportedMinutes?.toString() ?? '',
  floating: pair.floating,
  verification: pair.verification,
  lateTolerance: pair.tolerance.latePercent ?? '',
  amountTolerance: pair.tolerance.amountFixed ?? '',
  amountTolerancePercent: pair.tolerance.amountPercent ?? '',
  tiers: pair.tiers.map((tier) => ({ ...tier })),
  notices: {
    general: noticeOf(pair.notices.general),
    from: noticeOf(pair.notices.from),
    to: noticeOf(pair.notices.to),
  },
  customerTerms: noticeOf(pair.customerTerms),
  cities: pair.cities,
});

/** A new pair with the terms of another; it is switched on by itself. */
export const draftLike = (pair: Pair): PairDraft => ({ ...draftOf(pair), enabled: false, archived: false });

/** What several pairs agree in; where they differ, what a new pair has, and no number. */
export function commonDraft(pairs: Pair[]): PairDraft {
  const drafts = pairs.map(draftOf);
  const common = Object.entries(newDraft()).map(([name, value]) => {
    const key = name as keyof PairDraft;
    const agree = new Set(drafts.map((draft) => JSON.stringify(draft[key]))).size === 1;
    return [key, agree ? drafts[0]?.[key] : typeof value === 'string' && !KINDS.includes(key) ? '' : value];
  });
  return Object.fromEntries(common) as PairDraft;
}
/** Texts that are one of a few. */
const KINDS: (keyof PairDraft)[] = ['source', 'verification', 'networkFeePayer'];

type NumberKey = { [Key in keyof PairDraft]: PairDraft[Key] extends string ? Key : never }[keyof PairDraft];
const REQUIRED: NumberKey[] = ['spreadPercent', 'feeFromFixed', 'feeFromPercent', 'feeToFixed', 'feeToPercent', 'hold'];
const OPTIONAL: NumberKey[] = [
  'manualRate',
  'reportedMinutes',
  'fromMin',
  'fromMax',
  'toMin',
  'toMax',
  'fromStep',
  'toStep',
  'lateTolerance',
  'amountTolerance',
  'amountTolerancePercent',
];

/** Fields that are not numbers; with any of them nothing is previewed or saved. */
export function wrongNumbers(draft: PairDraft): string[] {
  const wrong = [
    ...REQUIRED.filter((key) => typedDecimal(String(draft[key])) === null),
    ...OPTIONAL.filter((key) => String(draft[key]).trim() !== '' && typedDecimal(String(draft[key])) === null),
  ].map(String);
  if (draft.source === 'manual' && draft.manualRate.trim() === '') wrong.push('manualRate');
  draft.tiers.forEach((tier, index) => {
    if (typedDecimal(tier.min) === null) wrong.push(`tiers.${index}.min`);
    if (typedDecimal(tier.addPercent) === null) wrong.push(`tiers.${index}.addPercent`);
  });
  return wrong;
}

const required = (text: string): string => typedDecimal(text) ?? text;
const optional = (text: string): string | null => (text.trim() === '' ? null : typedDecimal(text));

function noticeTerms(texts: LocalizedNotice): LocalizedNotice | null {
  const trimmed = (notice: NoticeContent) => ({ title: notice.title.trim(), message: notice.message.trim() });
  const notice = { ru: trimmed(texts.ru), en: trimmed(texts.en) };
  const empty = [notice.ru, notice.en].every(({ title, message }) => title === '' && message === '');
  return empty ? null : notice;
}

export function termsOf(draft: PairDraft): PairTerms {
  return {
    enabled: draft.enabled,
    archived: draft.archived,
    source: draft.source,
    manualRate: optional(draft.manualRate),
    spreadPercent: required(draft.spreadPercent),
    fees: {
      from: { fixed: required(draft.feeFromFixed), percent: required(draft.feeFromPercent) },
      to: { fixed: required(draft.feeToFixed), percent: required(draft.feeToPercent) },
    },
    networkFeePayer: draft.networkFeePayer,
    limits: {
      from: { min: optional(draft.fromMin), max: optional(draft.fromMax), step: optional(draft.fromStep) },
      to: { min: optional(draft.toMin), max: optional(draft.toMax), step: optional(draft.toStep) },
    },
    hold: Number(required(draft.hold)),
    reportedMinutes: draft.reportedMinutes.trim() === '' ? null : Number(required(draft.reportedMinutes)),
    floating: draft.floating,
    verification: draft.verification,
    tolerance: {
      latePercent: optional(draft.lateTolerance),
      amountFixed: optional(draft.amountTolerance),
      amountPercent: optional(draft.amountTolerancePercent),
    },
    tiers: draft.tiers.map((tier) => ({ min: required(tier.min), addPercent: required(tier.addPercent) })),
    notices: {
      general: noticeTerms(draft.notices.general),
      from: noticeTerms(draft.notices.from),
      to: noticeTerms(draft.notices.to),
    },
    customerTerms: noticeTerms(draft.customerTerms),
    cities: draft.cities,
  };
}

/** The changed terms with the revision; null without changes. */
export function patchOf(pair: Pair, draft: PairDraft): PairPatch | null {
  const changes = changesOf(termsOf(draftOf(pair)), termsOf(draft));
  return changes && { revision: pair.revision, ...changes };
}

type Leaf = string | number | boolean | null;
export type TermChange = { path: string; before: Leaf; after: Leaf };

const itemText = (item: string | object) => (typeof item === 'string' ? item : Object.values(item).join(': '));

/** The single values of terms by their paths; a list is one value. */
function leavesOf(terms: object, prefix = ''): [string, Leaf][] {
  return Object.entries(terms).flatMap(([name, value]): [string, Leaf][] => {
    const path = `${prefix}${name}`;
    if (Array.isArray(value)) return [[path, value.map(itemText).join('; ') || null]];
    return value !== null && typeof value === 'object' ? leavesOf(value, `${path}.`) : [[path, value as Leaf]];
  });
}

const isSame = (before: Leaf, after: Leaf): boolean =>
  before === after ||
  (typeof before === 'string' &&
    typeof after === 'string' &&
    isDecimal(before) &&
    isDecimal(after) &&
    compare(before, after) === 0);

/** What a change makes of the terms of a pair, value by value. */
export function changedTerms(pair: Pair, set: Partial<PairTerms>): TermChange[] {
  const now = termsOf(draftOf(pair));
  const before = new Map(leavesOf(now));
  const after = new Map(leavesOf({ ...now, ...set, ...(set.archived && { enabled: false }) }));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((change) => !isSame(change.before, change.after));
}
