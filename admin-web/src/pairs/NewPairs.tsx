import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api } from '../api/index.ts';
import { Choice, useTexts } from '../ui/index.ts';
import css from './DryRun.module.css';
import { DryRunDialog } from './DryRunDialog.tsx';
import { draftLike, newDraft, type PairDraft, termsOf, wrongNumbers } from './draft.ts';
import type { Currency, Pair } from './matrix.ts';
import { RateTable } from './RateTable.tsx';
import { type Side, Terms, useTermsFields } from './Terms.tsx';

export type Ends = { giveIds: number[]; receiveIds: number[] };
type Props = {
  currencies: Currency[];
  pairs: Pair[];
  initial: Ends;
  /** The pair whose terms they begin with. */
  like: Pair | null;
  onClose: () => void;
};

/** New pairs between all chosen currencies, with the same settings; the rates are shown before they are created. */
export function NewPairs({ currencies, pairs, initial, like, onClose }: Props) {
  const { t } = useTexts();
  const [ends, setEnds] = useState(initial);
  const [draft, setDraft] = useState<PairDraft>(() => (like ? draftLike(like) : newDraft()));
  const chosen = ends.giveIds.some((give) => ends.receiveIds.some((receive) => give !== receive));
  const body = chosen && wrongNumbers(draft).length === 0 ? { ...ends, set: termsOf(draft) } : null;
  return (
    <DryRunDialog<Schema<'NewPairsRequest'>, Schema<'NewPairs'>>
      title={t('newPairs.title')}
      send={(request, options) => api.POST('/pairs', { ...options, body: request })}
      body={body}
      hint={t(chosen ? 'pairs.wrong' : 'newPairs.choose')}
      previewTitle={t('newPairs.preview')}
      count={({ created }) => created}
      submit={(count) => t('newPairs.create', { smart_count: count })}
      idle={t('newPairs.idle')}
      done={(count) => t('newPairs.created', { smart_count: count })}
      onClose={onClose}
      preview={({ created, existing, pairs }) => (
        <>
          <p role="status">
            {t('newPairs.counts', { smart_count: created })}
            {existing > 0 && `, ${t('newPairs.existing', { smart_count: existing })}`}
          </p>
          <RateTable rows={pairs} currencies={currencies} />
        </>
      )}
    >
      {(error) => (
        <>
          <SidePicker
            legend={t('newPairs.gives')}
            currencies={currencies}
            ids={ends.giveIds}
            onIds={(giveIds) => setEnds({ ...ends, giveIds })}
          />
          <SidePicker
            legend={t('newPairs.receives')}
            currencies={currencies}
            ids={ends.receiveIds}
            onIds={(receiveIds) => setEnds({ ...ends, receiveIds })}
          />
          <h3 className={css.title}>{t('newPairs.settings')}</h3>
          <p className={css.note}>{t('newPairs.settingsHelp')}</p>
          {pairs.length > 0 && (
            <LikePicker
              currencies={currencies}
              pairs={pairs}
              initial={like}
              onPair={(pair) => setDraft(pair ? draftLike(pair) : newDraft())}
            />
          )}
          <Template
            draft={draft}
            from={sideOf(currencies, ends.giveIds, t('newPairs.unit'))}
            to={sideOf(currencies, ends.receiveIds, t('newPairs.unit'))}
            error={error}
            onChange={(part) => setDraft({ ...draft, ...part })}
          />
        </>
      )}
    </DryRunDialog>
  );
}

type LikeProps = {
  currencies: Currency[];
  pairs: Pair[];
  initial: Pair | null;
  onPair: (pair: Pair | null) => void;
};

/** A pair whose terms are taken over: what it gives, then what it receives. */
function LikePicker({ currencies, pairs, initial, onPair }: LikeProps) {
  const { t } = useTexts();
  const [give, setGive] = useState(initial ? String(initial.giveId) : '');
  const [receive, setReceive] = useState(initial ? String(initial.receiveId) : '');
  const codes = new Map(currencies.map(({ id, code }) => [id, code]));
  const options = (ids: number[]) =>
    [...new Set(ids)].flatMap((id) => {
      const label = codes.get(id);
      return label === undefined ? [] : [{ value: String(id), label }];
    });
  const none = { value: '', label: t('newPairs.likeNone') };
  const found = pairs.filter((pair) => String(pair.giveId) === give);
  const choose = (receiveId: string) => {
    setReceive(receiveId);
    onPair(found.find((pair) => String(pair.receiveId) === receiveId) ?? null);
  };
  return (
    <div className={css.like}>
      <Choice
        label={t('newPairs.likeGives')}
        value={give}
        options={[none, ...options(pairs.map((pair) => pair.giveId))]}
        onValue={(value) => {
          setGive(value);
          setReceive('');
          onPair(null);
        }}
      />
      <Choice
        label={t('newPairs.likeReceives')}
        value={receive}
        disabled={give === ''}
        options={[none, ...options(found.map((pair) => pair.receiveId))]}
        onValue={choose}
      />
    </div>
  );
}

type TemplateProps = {
  draft: PairDraft;
  from: Side;
  to: Side;
  error: unknown;
  onChange: (part: Partial<PairDraft>) => void;
};

function Template({ draft, from, to, error, onChange }: TemplateProps) {
  const { wrong: _, ...fields } = useTermsFields(draft, onChange, error, 'set.');
  return <Terms {...fields} from={from} to={to} />;
}

/** The one currency of a side, or what stands for several. */
export function sideOf(currencies: Currency[], ids: number[], unit: string): Side {
  const [id, ...more] = new Set(ids);
  const only = more.length === 0 ? currencies.find((currency) => currency.id === id) : undefined;
  return only ?? { ticker: unit };
}

type PickerProps = { legend: string; currencies: Currency[]; ids: number[]; onIds: (ids: number[]) => void };

/** The currencies of one side: one by one, all, or all of a kind. */
function SidePicker({ legend, currencies, ids, onIds }: PickerProps) {
  const { t } = useTexts();
  const kinds = [...new Set(currencies.map(({ kind }) => kind))];
  const toggle = (some: number[]) => {
    const isAll = some.every((id) => ids.includes(id));
    onIds(isAll ? ids.filter((id) => !some.includes(id)) : [...new Set([...ids, ...some])]);
  };
  const of = (kind: Currency['kind']) => currencies.filter((one) => one.kind === kind).map(({ id }) => id);
  return (
    <fieldset className={css.side}>
      <legend>{legend}</legend>
      <div className={css.chips}>
        <button type="button" className={css.group} onClick={() => onIds(currencies.map(({ id }) => id))}>
          {t('state.all')}
        </button>
        {kinds.map((kind) => (
          <button key={kind} type="button" className={css.group} onClick={() => toggle(of(kind))}>
            {t(`pairs.filters.${kind}`)}
          </button>
        ))}
        <button type="button" className={css.group} disabled={ids.length === 0} onClick={() => onIds([])}>
          {t('newPairs.none')}
        </button>
      </div>
      <div className={css.chips}>
        {currencies.map(({ id, code }) => (
          <button
            key={id}
            type="button"
            className={css.chip}
            aria-pressed={ids.includes(id)}
            onClick={() => toggle([id])}
          >
            {code}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
