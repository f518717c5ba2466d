import type { Schema } from '@agio/client/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, Problem } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { DataTable, type Fact, Facts, useDebounced, useTexts } from '../ui/index.ts';
import { CostTable } from './Costs.tsx';
import { rateText } from './matrix.ts';
import css from './Rates.module.css';
import type { RateRules } from './rules.ts';

type Preview = Schema<'RateRulesPreview'>;
type Rate = Preview['after'];

/** What the server says of typed rules once the form rests; the last valid ones while they cannot be read. */
export function useRulesPreview(pairId: number, rules: RateRules | null) {
  const resting = useDebounced(rules);
  return useQuery({
    queryKey: ['rules-preview', pairId, JSON.stringify(resting)],
    queryFn: async ({ signal }) => {
      const body = { rules: resting ?? { moves: [] } };
      return (await api.POST('/rates/pairs/{id}/preview', { params: { path: { id: pairId } }, body, signal })).data;
    },
    enabled: resting !== null,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** The index of the character at which the server refused the formula. */
export function faultPosition(error: unknown): number | null {
  const fault = error instanceof Problem ? error.errors['rules.formula']?.[0] : undefined;
  const position = Number(fault?.params?.position);
  return Number.isInteger(position) && position > 0 ? position - 1 : null;
}

/** The formula with the character that is wrong. */
export function FormulaMark({ formula, at }: { formula: string; at: number | null }) {
  const start = formula.length - formula.trimStart().length;
  if (at === null) return null;
  const place = start + at;
  return (
    <p className={css.mark} aria-hidden="true">
      {formula.slice(0, place)}
      <mark>{formula.charAt(place) || '\u00a0'}</mark>
      {formula.slice(place + 1)}
    </p>
  );
}

/** The prices of a formula, the rate that follows from the rules, and what is left of the market. */
export function RulesPreview({ preview }: { preview: Preview | undefined }) {
  const { t, language, amountText, percentText } = useTexts();
  if (!preview) return null;
  const { from, to, before, after, marketRate, formulaRate, references, sample, suspension } = preview;
  const rate = (text: string | null) => rateText(text, language) || t('state.none');
  const withMargin = ({ rate: text, marginPercent }: Rate) =>
    marginPercent === null
      ? rate(text)
      : t('live.withMargin', { rate: rate(text), margin: percentText(marginPercent) });
  const facts: Fact[] = [
    references.length > 0 && [t('live.formulaRate'), rate(formulaRate)],
    [t('live.marketRate'), marketRate === null ? t('live.noMarket') : rate(marketRate)],
    [t('fields.now'), withMargin(before)],
    [t('live.would'), withMargin(after)],
    sample && [t('live.sample'), `${amountText(sample.give)} ${from} → ${amountText(sample.receive)} ${to}`],
  ];
  return (
    <section className={css.preview} aria-label={t('live.preview')} aria-live="polite">
      <h3>{t('live.preview')}</h3>
      <Facts facts={facts} />
      <CostTable
        sets={[
          { name: t('fields.now'), costs: before.costs },
          { name: t('live.would'), costs: after.costs },
        ]}
        from={from}
        to={to}
      />
      {suspension && <p className={css.bad}>{suspension}</p>}
      {references.length > 0 && <References references={references} />}
    </section>
  );
}

function References({ references }: { references: Preview['references'] }) {
  const { t, amountText, ageText } = useTexts();
  const now = useNow();
  const price = (text: string | null) => (text === null ? '—' : amountText(text));
  return (
    <DataTable
      within
      list={references}
      rowKey={(reference) => reference.name}
      columns={[
        {
          head: t('live.reference'),
          lookOf: (reference) => reference.fault !== null && 'bad',
          note: (reference) => reference.fault,
          cell: (reference) => reference.name,
        },
        { head: t('fields.bid'), number: true, className: 'figures', cell: (reference) => price(reference.bid) },
        { head: t('fields.ask'), number: true, className: 'figures', cell: (reference) => price(reference.ask) },
        {
          head: t('fields.age'),
          number: true,
          cell: ({ observedAt }) => (observedAt === null ? '—' : ageText(now - Date.parse(observedAt))),
        },
        { head: t('fields.source'), look: ['wide'], cell: (reference) => reference.sources.join(', ') || '—' },
      ]}
    />
  );
}
