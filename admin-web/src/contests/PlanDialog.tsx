import type { Contest, Currency } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Choice, Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import own from './Contests.module.css';
import { draftOf, type PlanDraft, planOf } from './plan.ts';

const TEXTS = [
  ['title', 'ru', 'titleRu'],
  ['title', 'en', 'titleEn'],
  ['rules', 'ru', 'rulesRu'],
  ['rules', 'en', 'rulesEn'],
  ['source', 'ru', 'sourceRu'],
  ['source', 'en', 'sourceEn'],
] as const;

const MOMENTS = ['startsAt', 'endsAt', 'publicAt'] as const;

/** What a contest is to be: texts, times, tickets and prizes. */
export function PlanDialog({
  contest,
  base,
  currencies,
  onClose,
}: {
  contest: Contest | null;
  base: string;
  currencies: Currency[];
  onClose: () => void;
}) {
  const { t } = useWords();
  const saved = useSaved();
  const [key] = useState(() => crypto.randomUUID());
  const [draft, setDraft] = useState(() => draftOf(contest, Date.now()));
  const change = (part: Partial<PlanDraft>) => setDraft({ ...draft, ...part });
  const plan = planOf(draft);
  const save = useMutation({
    mutationFn: (whole: NonNullable<typeof plan>) =>
      contest ? api.replanContest(contest.id, contest.revision, whole) : api.planContest(whole, key),
    onSuccess: () => {
      saved(t(contest ? 'contests.saved' : 'contests.planned'), [...KEYS.contests]);
      onClose();
    },
  });
  // The plan stands inside the body when it is changed, and is the body when it is new.
  const refused = fieldsOf(save.error);
  const errorOf = (field: string) => refused[field] ?? refused[`plan.${field}`];
  const ready = plan !== null && !save.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => plan && ready && save.mutate(plan)}
      title={t(contest ? 'contests.editTitle' : 'contests.addTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t(save.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      {TEXTS.map(([text, language, label]) => (
        <Field
          key={label}
          label={t(`contests.${label}`)}
          help={text === 'source' ? t('contests.sourceHelp') : undefined}
          multiline={text === 'rules'}
          minRows={text === 'rules' ? 3 : undefined}
          value={draft[text][language]}
          error={errorOf(`${text}.${language}`)}
          onValue={(value) => change({ [text]: { ...draft[text], [language]: value } })}
        />
      ))}
      {MOMENTS.map((moment) => (
        <Field
          key={moment}
          type="datetime-local"
          label={t(`contests.${moment}`)}
          help={t('contests.momentHelp')}
          value={draft[moment]}
          error={errorOf(moment)}
          onValue={(value) => change({ [moment]: value })}
        />
      ))}
      <div className={css.two}>
        <NumberField
          label={t('contests.perWorth', { base })}
          help={t('contests.perWorthHelp')}
          value={draft.perWorth}
          error={errorOf('perWorth')}
          onValue={(perWorth) => change({ perWorth })}
        />
        <NumberField
          label={t('contests.mostWeight')}
          value={draft.mostWeight}
          error={errorOf('mostWeight')}
          onValue={(mostWeight) => change({ mostWeight })}
        />
      </div>
      <Prizes draft={draft} currencies={currencies} errorOf={errorOf} onDraft={change} />
      <Refusal error={save.error} />
    </Modal>
  );
}

function Prizes({
  draft,
  currencies,
  errorOf,
  onDraft,
}: {
  draft: PlanDraft;
  currencies: Currency[];
  errorOf: (field: string) => string | undefined;
  onDraft: (part: Partial<PlanDraft>) => void;
}) {
  const { t } = useWords();
  const { prizes } = draft;
  const options = [
    { value: '', label: t('contests.choose') },
    ...currencies.map((currency) => ({ value: String(currency.id), label: currency.code })),
  ];
  const set = (at: number, part: Partial<(typeof prizes)[number]>) =>
    onDraft({ prizes: prizes.map((prize, place) => (place === at ? { ...prize, ...part } : prize)) });
  return (
    <fieldset className={own.prizes}>
      <legend>{t('contests.prizes')}</legend>
      {prizes.map((prize, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a prize is its place.
        <div key={at} className={css.two}>
          <NumberField
            label={`${t('contests.prize', { place: at + 1 })}: ${t('contests.amount')}`}
            value={prize.amount}
            error={errorOf(`prizes[${at}].amount`)}
            onValue={(amount) => set(at, { amount })}
          />
          <Choice
            label={t('contests.currency')}
            value={prize.currencyId}
            error={errorOf(`prizes[${at}].currencyId`)}
            options={options}
            onValue={(currencyId) => set(at, { currencyId })}
          />
        </div>
      ))}
      <div className={css.footer}>
        <Button
          onClick={() => onDraft({ prizes: [...prizes, { currencyId: prizes.at(-1)?.currencyId ?? '', amount: '' }] })}
        >
          {t('contests.addPrize')}
        </Button>
        {prizes.length > 1 && (
          <Button onClick={() => onDraft({ prizes: prizes.slice(0, -1) })}>{t('contests.removePrize')}</Button>
        )}
      </div>
    </fieldset>
  );
}
