import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { useList } from '../api/hooks.ts';
import { fieldsOf } from '../api/problem.ts';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Refusal } from '../ui/States.tsx';
import { useTexts } from '../ui/useTexts.ts';
import css from './Rates.module.css';
import { FormulaMark, faultPosition, RulesPreview, useRulesPreview } from './RulesPreview.tsx';
import { draftOf, type RateRules, type RulesDraft, rulesOf } from './rules.ts';

const LIMITS = ['sources', 'jumpPercent', 'windowMinutes', 'resumeAfter', 'floor', 'ceiling'] as const;
const RANK = ['best', 'worst', 'step', 'undercut', 'leastReserve'] as const;
/** Paths of the fields in the request, where they differ. */
const PATHS: Partial<Record<keyof RulesDraft, string>> = {
  floor: 'bounds.floor',
  ceiling: 'bounds.ceiling',
  best: 'rank.best',
  worst: 'rank.worst',
  step: 'rank.step',
  undercut: 'rank.undercut',
  own: 'rank.own',
  leastReserve: 'rank.leastReserve',
  target: 'reserve.target',
  levels: 'reserve.levels',
  ahead: 'schedule.aheadMinutes',
  hours: 'schedule.windows',
};

type Props = { pair: Schema<'PairRateDetails'>; name: string; onClose: () => void };

const validRules = (draft: RulesDraft): RateRules | null => {
  const read = rulesOf(draft);
  return 'rules' in read ? read.rules : null;
};

/** The rules of a pair, with what visitors would see before they are saved. */
export function RulesDialog({ pair, name, onClose }: Props) {
  const { t } = useTexts();
  const sources = useList('/rates/sources').rows.filter((source) => source.readsAggregator);
  const [rules, setRules] = useState<RateRules | null>(pair.rules);
  const preview = useRulesPreview(pair.id, rules);
  return (
    <FormDialog
      wide
      title={t('live.rulesOf', { name })}
      initial={() => draftOf(pair.rules)}
      isReady={(draft) => validRules(draft) !== null}
      save={(draft) =>
        api.PUT('/rates/pairs/{id}', {
          params: { path: { id: pair.id } },
          body: { revision: pair.revision, rules: validRules(draft) ?? { moves: [] } },
        })
      }
      done={t('live.rulesSaved', { name })}
      stale={['/rates*', '/pairs']}
      errorsAt="rules"
      onClose={onClose}
    >
      {({ draft, change, error }) => {
        const read = rulesOf(draft);
        const refusals = Object.entries(fieldsOf(preview.error));
        const field = (key: keyof RulesDraft) => {
          const path = PATHS[key] ?? key;
          const refused = error(path, { within: true }) ?? refusals.find(([at]) => at.startsWith(`rules.${path}`))?.[1];
          return {
            label: t(`live.rule.${key}`),
            value: draft[key],
            error: 'wrong' in read && read.wrong.includes(key) ? t('live.unread') : refused,
            onValue: (value: string) => {
              change({ [key]: value });
              setRules(validRules({ ...draft, [key]: value }));
            },
          };
        };
        const numberOf = (key: keyof RulesDraft) => <NumberField key={key} {...field(key)} />;
        const linesOf = (key: 'levels' | 'moves' | 'hours') => (
          <Field multiline minRows={2} help={t(`live.ruleHelp.${key}`)} {...field(key)} />
        );
        return (
          <>
            <p className={css.note}>{t('live.rulesHelp')}</p>
            <div className={css.formula}>
              <Field
                multiline
                minRows={2}
                spellCheck={false}
                autoComplete="off"
                help={`${t('live.ruleHelp.formula')} ${t('live.sourceNames', { names: pair.formulaSources.join(', ') })}`}
                {...field('formula')}
              />
              <FormulaMark formula={draft.formula} at={faultPosition(preview.error)} />
            </div>
            {pair.isManual && draft.formula.trim() && <p className={css.note}>{t('live.manualNote')}</p>}
            <RulesPreview preview={preview.data} />
            <div className={css.pairs}>{LIMITS.map(numberOf)}</div>
            <Choice
              {...field('aggregator')}
              value={sources.some((source) => source.name === draft.aggregator) ? draft.aggregator : ''}
              options={[
                { value: '', label: t('live.noAggregator') },
                ...sources.map((source) => ({ value: source.name, label: source.title })),
              ]}
            />
            {draft.aggregator && (
              <>
                <div className={css.pairs}>{RANK.map(numberOf)}</div>
                <Field {...field('own')} />
              </>
            )}
            {numberOf('target')}
            {draft.target && linesOf('levels')}
            {linesOf('moves')}
            {linesOf('hours')}
            {draft.hours && numberOf('ahead')}
            {refusals.length === 0 && <Refusal error={preview.error} />}
          </>
        );
      }}
    </FormDialog>
  );
}
