import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, fieldsOf } from '../api/index.ts';
import { FormDialog, Refusal, useTexts } from '../ui/index.ts';
import css from './Rates.module.css';
import { pathsOf, type Rule, RuleFields, refusalOf } from './RuleFields.tsx';
import { FormulaMark, faultPosition, RulesPreview, useRulesPreview } from './RulesPreview.tsx';
import { draftOf, type RateRules, type RulesDraft, rulesOf } from './rules.ts';

const LIMITS: Rule[] = ['sources', 'jumpPercent', 'windowMinutes', 'resumeAfter', 'bounds'];
const OTHERS: Rule[] = ['rank', 'reserve', 'moves', 'schedule'];

type Props = { pair: Schema<'PairRateDetails'>; name: string; onClose: () => void };

const validRules = (draft: RulesDraft): RateRules | null => {
  const read = rulesOf(draft);
  return 'rules' in read ? read.rules : null;
};

/** The rules of a pair, with what visitors would see before they are saved. */
export function RulesDialog({ pair, name, onClose }: Props) {
  const { t } = useTexts();
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
        const refusals = fieldsOf(preview.error);
        const field = (key: keyof RulesDraft) => {
          const { path, whole } = pathsOf(key);
          const refused = error(path, { within: true }) ?? error(whole) ?? refusalOf(refusals, key);
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
        const fields = (rule: Rule) => (
          <RuleFields
            key={rule}
            rule={rule}
            draft={draft}
            field={field}
            formulaHelp={`${t('live.ruleHelp.formula')} ${t('live.sourceNames', { names: pair.formulaSources.join(', ') })}`}
          />
        );
        return (
          <>
            <p className={css.note}>{t('live.rulesHelp')}</p>
            <div className={css.formula}>
              {fields('formula')}
              <FormulaMark formula={draft.formula} at={faultPosition(preview.error)} />
            </div>
            {pair.isManual && draft.formula.trim() && <p className={css.note}>{t('live.manualNote')}</p>}
            <RulesPreview preview={preview.data} />
            <div className={css.pairs}>{LIMITS.map(fields)}</div>
            {OTHERS.map(fields)}
            {Object.keys(refusals).length === 0 && <Refusal error={preview.error} />}
          </>
        );
      }}
    </FormDialog>
  );
}
