import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, fieldsOf } from '../api/index.ts';
import { Toggle, useTexts } from '../ui/index.ts';
import css from './DryRun.module.css';
import { DryRunDialog } from './DryRunDialog.tsx';
import type { Currency, Pair } from './matrix.ts';
import { RateTable } from './RateTable.tsx';
import { KEYS, RULES, type Rule, RuleFields, refusalOf } from './RuleFields.tsx';
import { draftOf, type RulesDraft, rulesOf } from './rules.ts';

const EMPTY = draftOf({ moves: [] });

type Props = { pairs: Pair[]; currencies: Currency[]; onDone: () => void; onClose: () => void };

/** Sets the ticked rate rules of all chosen pairs; what customers see before and after is shown first. */
export function BulkRulesDialog({ pairs, currencies, onDone, onClose }: Props) {
  const { t } = useTexts();
  const [draft, setDraft] = useState<RulesDraft>(EMPTY);
  const [fields, setFields] = useState<Rule[]>([]);
  const change = (part: Partial<RulesDraft>) => setDraft({ ...draft, ...part });
  const tick = (rule: Rule, on: boolean) => {
    setFields(on ? [...fields, rule] : fields.filter((other) => other !== rule));
    // What is not ticked is not read.
    if (!on) change(Object.fromEntries(KEYS[rule].map((key) => [key, EMPTY[key]])));
  };
  const read = rulesOf(draft);
  const ids = pairs.map(({ id }) => id);
  const body = fields.length > 0 && 'rules' in read ? { ids, fields, rules: read.rules } : null;
  const byId = new Map(pairs.map((pair) => [pair.id, pair]));
  return (
    <DryRunDialog<Schema<'UpdateRateRulesInBulkRequest'> & { dryRun: boolean }, Schema<'UpdatedRateRules'>>
      title={t('bulk.rulesTitle', { smart_count: pairs.length })}
      send={(request, { signal }) => api.POST('/rates/pairs/bulk', { body: request, signal })}
      body={body}
      hint={t('wrong' in read ? 'pairs.wrong' : 'bulk.choose')}
      previewTitle={t('bulk.preview')}
      count={({ changed }) => changed}
      submit={(count) => t('bulk.title', { smart_count: count })}
      idle={t('action.edit')}
      done={(count) => t('pairs.bulkSaved', { smart_count: count })}
      onDone={onDone}
      onClose={onClose}
      preview={({ changed, pairs: moved }) => (
        <>
          <p role="status">{changed === 0 ? t('pairs.unchanged') : t('bulk.changed', { smart_count: changed })}</p>
          {changed > 0 && moved.length === 0 && <p className={css.note}>{t('bulk.ratesStay')}</p>}
          <RateTable
            before
            currencies={currencies}
            rows={moved.flatMap(({ pairId, before, after, costsBefore, costsAfter, suspension }) => {
              const pair = byId.get(pairId);
              const costs = { before: costsBefore, after: costsAfter };
              const state = suspension ? 'stopped' : pair?.state;
              return pair && state ? [{ ...pair, before, rate: after, costs, state, reason: suspension }] : [];
            })}
          />
        </>
      )}
    >
      {(error) => {
        const refusals = fieldsOf(error);
        const field = (key: keyof RulesDraft) => {
          return {
            label: t(`live.rule.${key}`),
            value: draft[key],
            error: 'wrong' in read && read.wrong.includes(key) ? t('live.unread') : refusalOf(refusals, key),
            onValue: (value: string) => change({ [key]: value }),
          };
        };
        return (
          <>
            <h3 className={css.title}>{t('bulk.which')}</h3>
            <p className={css.note}>{t('bulk.rulesHelp')}</p>
            {RULES.map((rule) => (
              <div key={rule} className={css.term}>
                <Toggle
                  label={t(`bulk.rules.${rule}`)}
                  value={fields.includes(rule)}
                  onValue={(on) => tick(rule, on)}
                />
                {fields.includes(rule) && <RuleFields rule={rule} draft={draft} field={field} />}
              </div>
            ))}
          </>
        );
      }}
    </DryRunDialog>
  );
}
