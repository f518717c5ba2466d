import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api } from '../api/index.ts';
import { Toggle, useTexts } from '../ui/index.ts';
import css from './DryRun.module.css';
import { DryRunDialog } from './DryRunDialog.tsx';
import { commonDraft, type PairDraft, type PairTerms, termsOf, wrongNumbers } from './draft.ts';
import type { Currency, Pair } from './matrix.ts';
import { sideOf } from './NewPairs.tsx';
import { NoticesPreview } from './NoticesPreview.tsx';
import { RateTable } from './RateTable.tsx';
import { TermChanges } from './TermChanges.tsx';
import { ALL_TERMS, type Side, type Term, TermFields, termOf, useTermsFields } from './Terms.tsx';

type Props = {
  pairs: Pair[];
  currencies: Currency[];
  /** What is ticked from the beginning. */
  preset: Partial<Pick<PairDraft, 'enabled' | 'archived'>>;
  onDone: () => void;
  onClose: () => void;
};

/** What was ticked, with its values; a manual rate goes with its source. */
function settingsOf(draft: PairDraft, terms: Term[]): Schema<'PairSettings'> {
  const { manualRate, ...all } = termsOf(draft);
  const ticked = Object.fromEntries(terms.map((term) => [term, all[term]]));
  return terms.includes('source') && draft.source === 'manual' ? { ...ticked, manualRate } : ticked;
}

/** Changes the ticked properties of all chosen pairs; what customers see before and after is shown first. */
export function BulkDialog({ pairs, currencies, preset, onDone, onClose }: Props) {
  const { t } = useTexts();
  const [draft, setDraft] = useState<PairDraft>(() => ({ ...commonDraft(pairs), ...preset }));
  const [terms, setTerms] = useState<Term[]>(() => ALL_TERMS.filter((term) => term in preset));
  const wrong = wrongNumbers(draft).some((field) => terms.includes(termOf(field)));
  const ids = pairs.map(({ id }) => id);
  const body = terms.length > 0 && !wrong ? { ids, set: settingsOf(draft, terms) } : null;
  const byId = new Map(pairs.map((pair) => [pair.id, pair]));
  return (
    <DryRunDialog<Schema<'UpdatePairsRequest'>, Schema<'UpdatedPairs'>>
      title={t('bulk.title', { smart_count: pairs.length })}
      send={(request, options) => api.POST('/pairs/bulk', { ...options, body: request })}
      body={body}
      hint={t(wrong ? 'pairs.wrong' : 'bulk.choose')}
      previewTitle={t('bulk.preview')}
      count={({ changed }) => changed}
      submit={(count) => t('bulk.title', { smart_count: count })}
      idle={t('action.edit')}
      done={(count) => t('pairs.bulkSaved', { smart_count: count })}
      onDone={onDone}
      onClose={onClose}
      preview={(answer) => (
        <>
          <p role="status">
            {answer.changed === 0 ? t('pairs.unchanged') : t('bulk.changed', { smart_count: answer.changed })}
          </p>
          <RateTable
            before
            currencies={currencies}
            rows={answer.pairs.flatMap(({ id, after, ...row }) => {
              const pair = byId.get(id);
              return pair ? [{ ...pair, ...row, rate: after }] : [];
            })}
          />
          {body && <TermChanges pairs={pairs} currencies={currencies} set={body.set as Partial<PairTerms>} />}
          {(answer.notices || answer.customerTerms) && (
            <NoticesPreview notices={answer.notices} terms={answer.customerTerms} />
          )}
        </>
      )}
    >
      {(error) => (
        <>
          <h3 className={css.title}>{t('bulk.which')}</h3>
          <p className={css.note}>{t('bulk.whichHelp')}</p>
          <Properties
            draft={draft}
            terms={terms}
            sides={[
              sideOf(
                currencies,
                pairs.map(({ giveId }) => giveId),
                t('newPairs.unit'),
              ),
              sideOf(
                currencies,
                pairs.map(({ receiveId }) => receiveId),
                t('newPairs.unit'),
              ),
            ]}
            error={error}
            onTerms={setTerms}
            onChange={(part) => setDraft({ ...draft, ...part })}
          />
        </>
      )}
    </DryRunDialog>
  );
}

type PropertiesProps = {
  draft: PairDraft;
  terms: Term[];
  sides: [Side, Side];
  error: unknown;
  onTerms: (terms: Term[]) => void;
  onChange: (part: Partial<PairDraft>) => void;
};

function Properties({ draft, terms, sides: [from, to], error, onTerms, onChange }: PropertiesProps) {
  const { t } = useTexts();
  const { wrong: _, ...fields } = useTermsFields(draft, onChange, error, 'set.');
  return (
    <>
      {ALL_TERMS.map((term) => (
        <div key={term} className={css.term}>
          <Toggle
            label={t(`bulk.fields.${term}`)}
            value={terms.includes(term)}
            onValue={(on) => onTerms(on ? [...terms, term] : terms.filter((other) => other !== term))}
          />
          {terms.includes(term) && <TermFields term={term} {...fields} from={from} to={to} />}
        </div>
      ))}
    </>
  );
}
