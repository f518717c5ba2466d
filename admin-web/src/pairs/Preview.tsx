import type { Schema } from '@agio/client/admin';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api/index.ts';
import { Refusal, useDebounced, useTexts } from '../ui/index.ts';
import type { PairPatch } from './draft.ts';
import { type Currency, type Pair, readableRate } from './matrix.ts';
import css from './PairDrawer.module.css';

/** What a visitor would see after a change, computed by the server. */
export function usePreview(pair: Pair, patch: PairPatch | null) {
  const debounced = useDebounced(patch);
  return useQuery({
    queryKey: ['preview', pair.id, JSON.stringify(debounced)],
    queryFn: async ({ signal }) => {
      const params = { path: { id: pair.id } };
      return (await api.POST('/pairs/{id}/preview', { params, body: debounced as PairPatch, signal })).data;
    },
    enabled: debounced !== null,
    placeholderData: keepPreviousData,
  });
}

type Props = { preview: ReturnType<typeof usePreview>; from: Currency; to: Currency };

/** What a visitor sees now and would see after saving. */
export function Preview({ preview: { data, error }, from, to }: Props) {
  const { t } = useTexts();
  if (error) return <Refusal error={error} />;
  if (!data) return null;
  return (
    <section className={css.preview} aria-label={t('pairs.preview')}>
      <div>
        <h3>{t('fields.now')}</h3>
        <RateText rate={data.before.rate} from={from} to={to} />
      </div>
      <div className={css.after}>
        <h3>{t('pairs.after')}</h3>
        <RateText rate={data.rate} from={from} to={to} />
        <Range bounds={data.from} label={t('fields.gives')} ticker={from.ticker} />
        <Range bounds={data.to} label={t('fields.receives')} ticker={to.ticker} />
      </div>
    </section>
  );
}

function RateText({ rate, from, to }: { rate: string | null; from: Currency; to: Currency }) {
  const { t, amountText } = useTexts();
  if (rate === null) return <p>{t('pairs.noRate')}</p>;
  const { text, inverted } = readableRate(rate);
  const [one, many] = inverted ? [to, from] : [from, to];
  return (
    <p>
      1&nbsp;{one.ticker} = <strong className="figures">{amountText(text)}</strong>&nbsp;{many.ticker}
    </p>
  );
}

function Range({ bounds, label, ticker }: { bounds: Schema<'PairAmountRange'>; label: string; ticker: string }) {
  const { amountText } = useTexts();
  const shown = (value: string | null) => (value === null ? '…' : amountText(value));
  return (
    <p className={css.range}>
      {label}: {shown(bounds.min)} – {shown(bounds.max)} {ticker}
    </p>
  );
}
