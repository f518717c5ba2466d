import type { RateDry, RatePair } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { amountText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import table from '../ui/Table.module.css';
import { useOutcome } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Rates.module.css';
import { draftOf, type RulesDraft, rulesOf } from './rules.ts';

const STOPPING = ['sources', 'jumpPercent', 'windowMinutes', 'resumeAfter'] as const;
const BOUNDS = ['floor', 'ceiling'] as const;
const PLACE = ['best', 'worst', 'step', 'undercut', 'leastReserve'] as const;
/** Where the server says what is wrong with a field. */
const PATHS: Partial<Record<keyof RulesDraft, string>> = {
  floor: 'bounds.floor',
  ceiling: 'bounds.ceiling',
  best: 'position.best',
  worst: 'position.worst',
  step: 'position.step',
  undercut: 'position.undercut',
  own: 'position.own',
  leastReserve: 'position.leastReserve',
  target: 'reserve.target',
  levels: 'reserve.levels',
  ahead: 'schedule.aheadMinutes',
  hours: 'schedule.windows',
};

/** The rules of a pair, and what they would do before they are saved. */
export function RulesDialog({ pair, name, onClose }: { pair: RatePair; name: string; onClose: () => void }) {
  const { t } = useWords();
  const saved = useOutcome();
  const [draft, setDraft] = useState(() => draftOf(pair.rules));
  const { data: sources = [] } = useQuery({ queryKey: KEYS.rateSources, queryFn: api.rateSources });
  const read = rulesOf(draft);
  const rules = 'rules' in read ? read.rules : null;
  const attempt = useMutation({ mutationFn: () => api.tryRateRules(pair.id, rules ?? { moves: [] }) });
  const save = useMutation({
    mutationFn: () => api.setRatePair(pair.id, pair.revision, rules ?? { moves: [] }),
    onSuccess: (outcome) => {
      saved(outcome, t('live.rulesSaved', { name }), KEYS.ratePair(pair.id), KEYS.rateStops, ['pairs']);
      onClose();
    },
  });
  const change = (part: Partial<RulesDraft>) => {
    setDraft({ ...draft, ...part });
    attempt.reset();
  };
  const refusals = { ...fieldsOf(attempt.error), ...fieldsOf(save.error) };
  const errorOf = (field: keyof RulesDraft) => {
    if ('wrong' in read && read.wrong.includes(field)) return t('live.unread');
    const path = PATHS[field] ?? field;
    return Object.entries(refusals).find(([at]) => at.replace(/^rules\./, '').startsWith(path))?.[1];
  };
  const numberOf = (field: keyof RulesDraft) => (
    <NumberField
      key={field}
      label={t(`live.rule.${field}`)}
      value={draft[field]}
      error={errorOf(field)}
      onValue={(value) => change({ [field]: value })}
    />
  );
  const linesOf = (field: 'levels' | 'moves' | 'hours') => (
    <Field
      multiline
      minRows={2}
      label={t(`live.rule.${field}`)}
      help={t(`live.ruleHelp.${field}`)}
      value={draft[field]}
      error={errorOf(field)}
      onValue={(value) => change({ [field]: value })}
    />
  );
  const monitors = sources.filter((source) => source.monitor);
  const busy = save.isPending || attempt.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => rules && !busy && save.mutate()}
      title={t('live.rulesOf', { name })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button disabled={!rules || busy} onClick={() => attempt.mutate()}>
            {t('live.try')}
          </Button>
          <Button type="submit" variant="contained" disabled={!rules || busy}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <p className={css.note}>{t('live.rulesHelp')}</p>
      <div className={css.pairs}>{[...STOPPING, ...BOUNDS].map(numberOf)}</div>
      <Choice
        label={t('live.rule.monitor')}
        value={monitors.some((monitor) => monitor.name === draft.monitor) ? draft.monitor : ''}
        onValue={(monitor) => change({ monitor })}
        options={[
          { value: '', label: t('live.noMonitor') },
          ...monitors.map((monitor) => ({ value: monitor.name, label: monitor.title })),
        ]}
      />
      {draft.monitor && (
        <>
          <div className={css.pairs}>{PLACE.map(numberOf)}</div>
          <Field
            label={t('live.rule.own')}
            value={draft.own}
            error={errorOf('own')}
            onValue={(own) => change({ own })}
          />
        </>
      )}
      {numberOf('target')}
      {draft.target && linesOf('levels')}
      {linesOf('moves')}
      {linesOf('hours')}
      {draft.hours && numberOf('ahead')}
      {attempt.data && <Tried rows={attempt.data} />}
      <Refusal error={save.error ?? attempt.error} />
    </Modal>
  );
}

function Tried({ rows }: { rows: RateDry[] }) {
  const { t, language } = useWords();
  if (rows.length === 0) return <p role="status">{t('live.triedNone')}</p>;
  const course = (text: string | null) => (text === null ? '—' : amountText(text, language));
  return (
    <table className={table.table} aria-live="polite">
      <thead>
        <tr>
          <th scope="col">{t('rates.pair')}</th>
          <th scope="col" className={table.right}>
            {t('live.now')}
          </th>
          <th scope="col" className={table.right}>
            {t('live.would')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.pairId}>
            <td>
              {row.from} → {row.to}
            </td>
            <td className={`${table.right} figures`}>{row.wasStopped ? t('live.stopped') : course(row.before)}</td>
            <td className={`${table.right} figures`}>{row.stop ?? course(row.after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
