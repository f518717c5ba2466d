import type { Schema } from '@agio/client/admin';
import { api, useCurrencies } from '../api/index.ts';
import { Button, Choice, Field, type Form, FormDialog, NumberField, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
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

type Props = { contest: Schema<'ContestDetails'> | null; base: string; onClose: () => void };

/** The plan of a contest: texts, times, tickets and prizes. */
export function ContestDialog({ contest, base, onClose }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t(contest ? 'contests.editTitle' : 'contests.addTitle')}
      initial={() => draftOf(contest, Date.now())}
      isReady={(draft) => planOf(draft) !== null}
      save={(draft, once) => {
        const plan = planOf(draft) as Schema<'ContestPlanRequest'>;
        return contest
          ? api.PUT('/contests/{id}', {
              params: { path: { id: contest.id } },
              body: { revision: contest.revision, plan },
            })
          : api.POST('/contests', { ...once, body: plan });
      }}
      errorsAt="plan"
      done={t(contest ? 'state.saved' : 'contests.planned')}
      stale={['/contests*']}
      onClose={onClose}
    >
      {(form) => {
        const { draft, change, field, error } = form;
        return (
          <>
            {TEXTS.map(([text, language, label]) => (
              <Field
                key={label}
                label={t(`contests.${label}`)}
                help={text === 'source' ? t('contests.sourceHelp') : undefined}
                multiline={text === 'rules'}
                minRows={text === 'rules' ? 3 : undefined}
                value={draft[text][language]}
                error={error(`${text}.${language}`)}
                onValue={(value) => change({ [text]: { ...draft[text], [language]: value } })}
              />
            ))}
            {MOMENTS.map((moment) => (
              <Field
                key={moment}
                type="datetime-local"
                label={t(`contests.${moment}`)}
                help={t('contests.momentHelp')}
                {...field(moment)}
              />
            ))}
            <div className={css.two}>
              <NumberField
                label={t('contests.volumePerTicket', { base })}
                help={t('contests.volumePerTicketHelp')}
                {...field('volumePerTicket')}
              />
              <NumberField label={t('contests.maxTickets')} {...field('maxTickets')} />
            </div>
            <Prizes form={form} />
          </>
        );
      }}
    </FormDialog>
  );
}

function Prizes({ form: { draft, change, error } }: { form: Form<PlanDraft> }) {
  const { t } = useTexts();
  const { prizes } = draft;
  const options = [
    { value: '', label: t('contests.choose') },
    ...useCurrencies().map(({ id, code }) => ({ value: String(id), label: code })),
  ];
  const set = (at: number, part: Partial<(typeof prizes)[number]>) =>
    change({ prizes: prizes.map((prize, place) => (place === at ? { ...prize, ...part } : prize)) });
  return (
    <fieldset className={own.prizes}>
      <legend>{t('contests.prizes')}</legend>
      {prizes.map((prize, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a prize is its place.
        <div key={at} className={css.two}>
          <NumberField
            label={`${t('contests.prize', { place: at + 1 })}: ${t('fields.amount')}`}
            value={prize.amount}
            error={error(`prizes[${at}].amount`)}
            onValue={(amount) => set(at, { amount })}
          />
          <Choice
            label={t('things.currency')}
            value={prize.currencyId}
            error={error(`prizes[${at}].currencyId`)}
            options={options}
            onValue={(currencyId) => set(at, { currencyId })}
          />
        </div>
      ))}
      <div className={css.footer}>
        <Button
          onClick={() => change({ prizes: [...prizes, { currencyId: prizes.at(-1)?.currencyId ?? '', amount: '' }] })}
        >
          {t('contests.addPrize')}
        </Button>
        {prizes.length > 1 && (
          <Button onClick={() => change({ prizes: prizes.slice(0, -1) })}>{t('contests.removePrize')}</Button>
        )}
      </div>
    </fieldset>
  );
}
