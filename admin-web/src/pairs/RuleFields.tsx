import type { Schema } from '@agio/client/admin';
import { useList } from '../api/index.ts';
import { Choice, Field, NumberField, TimeZoneField, useTexts } from '../ui/index.ts';
import css from './Rates.module.css';
import type { RulesDraft } from './rules.ts';

export type Rule = Schema<'UpdateRateRulesInBulkRequest'>['fields'][number];

/** What is typed of each rule. */
export const KEYS: Record<Rule, (keyof RulesDraft)[]> = {
  formula: ['formula'],
  sources: ['sources'],
  jumpPercent: ['jumpPercent'],
  windowMinutes: ['windowMinutes'],
  resumeAfter: ['resumeAfter'],
  bounds: ['floor', 'ceiling', 'floorOver'],
  rank: ['aggregator', 'best', 'worst', 'step', 'undercut', 'leastReserve', 'own'],
  reserve: ['target', 'levels'],
  moves: ['moves'],
  schedule: ['hours', 'timeZone'],
};
export const RULES = Object.keys(KEYS) as Rule[];

/** Paths of the fields in the request, where they differ. */
const PATHS: Partial<Record<keyof RulesDraft, string>> = {
  floor: 'bounds.floor',
  ceiling: 'bounds.ceiling',
  floorOver: 'bounds.floorOver',
  best: 'rank.best',
  worst: 'rank.worst',
  step: 'rank.step',
  undercut: 'rank.undercut',
  own: 'rank.own',
  leastReserve: 'rank.leastReserve',
  target: 'reserve.target',
  levels: 'reserve.levels',
  timeZone: 'schedule.timeZone',
  hours: 'schedule.windows',
};

/** The paths at which a field can be refused: its own, and that of the whole it belongs to, which may be missing. */
export function pathsOf(key: keyof RulesDraft): { path: string; whole: string } {
  const path = PATHS[key] ?? key;
  return { path, whole: path.split('.')[0] ?? path };
}

/** Why a field was refused below `rules` in the body. */
export function refusalOf(refusals: Record<string, string>, key: keyof RulesDraft): string | undefined {
  const { path, whole } = pathsOf(key);
  return Object.entries(refusals).find(([at]) => at.startsWith(`rules.${path}`) || at === `rules.${whole}`)?.[1];
}

type FieldProps = { label: string; value: string; error: string | undefined; onValue: (value: string) => void };
type Props = { rule: Rule; draft: RulesDraft; field: (key: keyof RulesDraft) => FieldProps; formulaHelp?: string };

/** The fields of a rule; those that make no sense without another wait for it. */
export function RuleFields({ rule, draft, field, formulaHelp }: Props) {
  const { t } = useTexts();
  const aggregators = useList('/rates/sources').rows.filter((source) => source.readsAggregator);
  const number = (key: keyof RulesDraft) => <NumberField key={key} {...field(key)} />;
  const lines = (key: 'levels' | 'moves' | 'hours') => (
    <Field multiline minRows={2} help={t(`live.ruleHelp.${key}`)} {...field(key)} />
  );
  switch (rule) {
    case 'formula':
      return (
        <Field
          multiline
          minRows={2}
          spellCheck={false}
          autoComplete="off"
          help={formulaHelp ?? t('live.ruleHelp.formula')}
          {...field('formula')}
        />
      );
    case 'bounds':
      return (
        <>
          {number('floor')}
          {number('ceiling')}
          {(draft.floor.trim() || draft.ceiling.trim()) && (
            <div className={css.whole}>
              <Choice
                {...field('floorOver')}
                help={t('live.ruleHelp.floorOver')}
                options={(['market', 'cost'] as const).map((value) => ({ value, label: t(`live.floorOver.${value}`) }))}
              />
            </div>
          )}
        </>
      );
    case 'rank':
      return (
        <>
          <Choice
            {...field('aggregator')}
            value={aggregators.some((source) => source.name === draft.aggregator) ? draft.aggregator : ''}
            options={[
              { value: '', label: t('live.noAggregator') },
              ...aggregators.map((source) => ({ value: source.name, label: source.title })),
            ]}
          />
          {draft.aggregator && (
            <>
              <div className={css.pairs}>{KEYS.rank.slice(1, -1).map(number)}</div>
              <Field {...field('own')} />
            </>
          )}
        </>
      );
    case 'reserve':
      return (
        <>
          {number('target')}
          {draft.target && lines('levels')}
        </>
      );
    case 'moves':
      return lines('moves');
    case 'schedule':
      return (
        <>
          {lines('hours')}
          {draft.hours && <TimeZoneField {...field('timeZone')} />}
        </>
      );
    default:
      return <>{KEYS[rule].map(number)}</>;
  }
}
