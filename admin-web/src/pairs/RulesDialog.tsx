import type { Schema } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { useList } from '../api/hooks.ts';
import { fieldsOf } from '../api/problem.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { amountText } from '../ui/format.ts';
import { Refusal } from '../ui/States.tsx';
import { useTexts } from '../ui/useTexts.ts';
import css from './Rates.module.css';
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

/** The rules of a pair, with a dry run before they are saved. */
export function RulesDialog({ pair, name, onClose }: Props) {
  const { t } = useTexts();
  const sources = useList('/rates/sources').rows.filter((source) => source.readsAggregator);
  const dryRun = useMutation({
    mutationFn: (rules: RateRules) => api.POST('/rates/dry-run', { body: { changes: [{ pairId: pair.id, rules }] } }),
  });
  return (
    <FormDialog
      title={t('live.rulesOf', { name })}
      initial={() => draftOf(pair.rules)}
      isReady={(draft) => validRules(draft) !== null && !dryRun.isPending}
      save={(draft) =>
        api.PUT('/rates/pairs/{id}', {
          params: { path: { id: pair.id } },
          body: { revision: pair.revision, rules: validRules(draft) ?? { moves: [] } },
        })
      }
      done={t('live.rulesSaved', { name })}
      stale={['/rates*', '/pairs']}
      errorsAt="rules"
      actions={({ draft, isPending }) => {
        const rules = validRules(draft);
        return (
          <Button disabled={!rules || isPending || dryRun.isPending} onClick={() => rules && dryRun.mutate(rules)}>
            {t('live.try')}
          </Button>
        );
      }}
      onClose={onClose}
    >
      {({ draft, change, error }) => {
        const read = rulesOf(draft);
        const refusals = Object.entries(fieldsOf(dryRun.error));
        const field = (key: keyof RulesDraft) => {
          const path = PATHS[key] ?? key;
          const refused = error(path, { within: true }) ?? refusals.find(([at]) => at.includes(`rules.${path}`))?.[1];
          return {
            label: t(`live.rule.${key}`),
            value: draft[key],
            error: 'wrong' in read && read.wrong.includes(key) ? t('live.unread') : refused,
            onValue: (value: string) => {
              change({ [key]: value });
              dryRun.reset();
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
            {dryRun.data?.data && <DryRunResults rows={dryRun.data.data} />}
            <Refusal error={dryRun.error} />
          </>
        );
      }}
    </FormDialog>
  );
}

function DryRunResults({ rows }: { rows: Schema<'RateDryRunResult'>[] }) {
  const { t, language } = useTexts();
  if (rows.length === 0) return <p role="status">{t('live.triedNone')}</p>;
  const rate = (text: string | null) => (text === null ? '—' : amountText(text, language));
  return (
    <div aria-live="polite">
      <DataTable
        plain
        list={rows}
        rowKey={(row) => row.pairId}
        columns={[
          { head: t('rates.pair'), cell: (row) => `${row.from} → ${row.to}` },
          {
            head: t('live.now'),
            look: ['right'],
            className: 'figures',
            cell: (row) => (row.wasSuspended ? t('live.stopped') : rate(row.before)),
          },
          {
            head: t('live.would'),
            look: ['right'],
            className: 'figures',
            cell: (row) => row.suspension ?? rate(row.after),
          },
        ]}
      />
    </div>
  );
}
