import type { RateRules } from '@agio/client/admin';
import { typedDecimal } from '../ui/decimal.ts';

/** Rules as they are typed: numbers as text, lists as lines. */
export type RulesDraft = {
  sources: string;
  jumpPercent: string;
  windowMinutes: string;
  resumeAfter: string;
  floor: string;
  ceiling: string;
  monitor: string;
  best: string;
  worst: string;
  step: string;
  undercut: string;
  own: string;
  leastReserve: string;
  target: string;
  levels: string;
  moves: string;
  ahead: string;
  hours: string;
};

type Checkpoint = RateRules['moves'][number];
type Window = NonNullable<RateRules['schedule']>['windows'][number];

const point = ({ from, percent }: Checkpoint) => `${from}: ${percent}`;
const hours = ({ days, from, to, percent }: Window) => `${days.join('')} ${from}-${to}${percent ? ` ${percent}` : ''}`;

export function draftOf(rules: RateRules): RulesDraft {
  const { bounds, position, reserve, schedule } = rules;
  return {
    sources: rules.sources?.toString() ?? '',
    jumpPercent: rules.jumpPercent ?? '',
    windowMinutes: rules.windowMinutes?.toString() ?? '',
    resumeAfter: rules.resumeAfter?.toString() ?? '',
    floor: bounds?.floor ?? '',
    ceiling: bounds?.ceiling ?? '',
    monitor: position?.monitor ?? '',
    best: position?.best.toString() ?? '1',
    worst: position?.worst.toString() ?? '3',
    step: position?.step ?? '0.1',
    undercut: position?.undercut ?? '0.01',
    own: position?.own?.join(', ') ?? '',
    leastReserve: position?.leastReserve ?? '0',
    target: reserve?.target ?? '',
    levels: reserve?.levels.map(point).join('\n') ?? '',
    moves: rules.moves?.map(point).join('\n') ?? '',
    ahead: schedule?.aheadMinutes.toString() ?? '180',
    hours: schedule?.windows.map(hours).join('\n') ?? '',
  };
}

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

/** The rules that are typed, or the fields that cannot be read. */
export function rulesOf(draft: RulesDraft): { rules: RateRules } | { wrong: (keyof RulesDraft)[] } {
  const wrong: (keyof RulesDraft)[] = [];
  const read = <T>(field: keyof RulesDraft, parse: (text: string) => T | null): T | undefined => {
    const found = parse(draft[field]);
    if (found === null) wrong.push(field);
    return found ?? undefined;
  };
  const maybe = <T>(field: keyof RulesDraft, parse: (text: string) => T | null) =>
    draft[field].trim() === '' ? undefined : read(field, parse);
  const must = (field: keyof RulesDraft) => read(field, decimal) ?? '0';
  const count = (field: keyof RulesDraft) => read(field, whole) ?? 0;
  const list = <T>(field: keyof RulesDraft, parse: (line: string) => T | null): T[] => {
    const found = lines(draft[field]).map(parse);
    if (found.includes(null)) wrong.push(field);
    return found.filter((one) => one !== null);
  };
  const moves = list('moves', pointOf);
  const rules: RateRules = {
    sources: maybe('sources', whole),
    jumpPercent: maybe('jumpPercent', decimal),
    windowMinutes: maybe('windowMinutes', whole),
    resumeAfter: maybe('resumeAfter', whole),
    bounds: draft.floor.trim() || draft.ceiling.trim() ? { floor: must('floor'), ceiling: must('ceiling') } : undefined,
    position: draft.monitor
      ? {
          monitor: draft.monitor,
          best: count('best'),
          worst: count('worst'),
          step: must('step'),
          undercut: must('undercut'),
          own: draft.own
            .split(',')
            .map((name) => name.trim())
            .filter(Boolean),
          leastReserve: must('leastReserve'),
        }
      : undefined,
    reserve: draft.target.trim() ? { target: must('target'), levels: list('levels', pointOf) } : undefined,
    moves,
    schedule: draft.hours.trim() ? { aheadMinutes: count('ahead'), windows: list('hours', windowOf) } : undefined,
  };
  return wrong.length > 0 ? { wrong } : { rules };
}
