import type { Schema } from '@agio/client/admin';
import { ownTimeZone } from '../ui/dateTime.ts';
import { typedDecimal } from '../ui/decimal.ts';

export type RateRules = Schema<'PairRateRules'>;

type Checkpoint = RateRules['moves'][number];
type Window = NonNullable<RateRules['schedule']>['windows'][number];

const point = ({ from, percent }: Checkpoint) => `${from}: ${percent}`;
const hours = ({ days, from, to, percent }: Window) => `${days.join('')} ${from}-${to}${percent ? ` ${percent}` : ''}`;

export function draftOf(rules: RateRules) {
  const { bounds, rank, reserve, schedule } = rules;
  return {
    formula: rules.formula ?? '',
    sources: rules.sources?.toString() ?? '',
    jumpPercent: rules.jumpPercent ?? '',
    windowMinutes: rules.windowMinutes?.toString() ?? '',
    resumeAfter: rules.resumeAfter?.toString() ?? '',
    floor: bounds?.floor ?? '',
    ceiling: bounds?.ceiling ?? '',
    floorOver: bounds?.floorOver ?? 'market',
    aggregator: rank?.aggregator ?? '',
    best: rank?.best.toString() ?? '1',
    worst: rank?.worst.toString() ?? '3',
    step: rank?.step ?? '0.1',
    undercut: rank?.undercut ?? '0.01',
    own: rank?.own?.join(', ') ?? '',
    leastReserve: rank?.leastReserve ?? '0',
    target: reserve?.target ?? '',
    levels: reserve?.levels.map(point).join('\n') ?? '',
    moves: rules.moves?.map(point).join('\n') ?? '',
    timeZone: schedule?.timeZone ?? ownTimeZone(),
    hours: schedule?.windows.map(hours).join('\n') ?? '',
  };
}

/** Rules as they are typed: numbers as text, lists as lines. */
export type RulesDraft = Record<keyof ReturnType<typeof draftOf>, string>;

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const whole = (text: string) => (/^-?\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : null);
const decimal = (text: string) => {
  const [, minus = '', digits = ''] = /^\s*([-−]?)\s*(.*)$/s.exec(text) ?? [];
  const typed = typedDecimal(digits);
  return typed === null ? null : `${minus && '-'}${typed}`;
};

function pointOf(line: string): Checkpoint | null {
  const [from, percent, ...more] = line.split(':').map(decimal);
  return from && percent && more.length === 0 ? { from, percent } : null;
}

function windowOf(line: string): Window | null {
  const [, days, from, to, percent] = /^([1-7]{1,7})\s+(\d\d:\d\d)\s*-\s*(\d\d:\d\d)(?:\s+(\S+))?$/.exec(line) ?? [];
  if (!days || !from || !to) return null;
  const window = { days: [...days].map(Number), from, to };
  if (percent === undefined) return window;
  const read = decimal(percent);
  return read === null ? null : { ...window, percent: read };
}

/** The typed rules, or the fields that cannot be read. */
export function rulesOf(draft: RulesDraft): { rules: RateRules } | { wrong: (keyof RulesDraft)[] } {
  const wrong: (keyof RulesDraft)[] = [];
  const read = <T>(field: keyof RulesDraft, parse: (text: string) => T | null): T | undefined => {
    const found = parse(draft[field]);
    if (found === null) wrong.push(field);
    return found ?? undefined;
  };
  const optional = <T>(field: keyof RulesDraft, parse: (text: string) => T | null) =>
    draft[field].trim() === '' ? undefined : read(field, parse);
  const required = (field: keyof RulesDraft) => read(field, decimal) ?? '0';
  const count = (field: keyof RulesDraft) => read(field, whole) ?? 0;
  const list = <T>(field: keyof RulesDraft, parse: (line: string) => T | null): T[] => {
    const found = lines(draft[field]).map(parse);
    if (found.includes(null)) wrong.push(field);
    return found.filter((one) => one !== null);
  };
  const moves = list('moves', pointOf);
  const rules: RateRules = {
    formula: draft.formula.trim() || undefined,
    sources: optional('sources', whole),
    jumpPercent: optional('jumpPercent', decimal),
    windowMinutes: optional('windowMinutes', whole),
    resumeAfter: optional('resumeAfter', whole),
    bounds:
      draft.floor.trim() || draft.ceiling.trim()
        ? {
            floor: required('floor'),
            ceiling: required('ceiling'),
            floorOver: draft.floorOver === 'cost' ? 'cost' : undefined,
          }
        : undefined,
    rank: draft.aggregator
      ? {
          aggregator: draft.aggregator,
          best: count('best'),
          worst: count('worst'),
          step: required('step'),
          undercut: required('undercut'),
          own: draft.own
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean),
          leastReserve: required('leastReserve'),
        }
      : undefined,
    reserve: draft.target.trim() ? { target: required('target'), levels: list('levels', pointOf) } : undefined,
    moves,
    schedule: draft.hours.trim() ? { timeZone: draft.timeZone.trim(), windows: list('hours', windowOf) } : undefined,
  };
  return wrong.length > 0 ? { wrong } : { rules };
}
