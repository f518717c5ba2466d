import type { Currency } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Choice, NumberField } from '../ui/Field.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useWords } from '../ui/useWords.ts';
import type { PairDraft } from './draft.ts';
import css from './PairDrawer.module.css';

export type ErrorOf = (field: string, path: string) => string | undefined;
type Props = {
  draft: PairDraft;
  from: Currency;
  to: Currency;
  errorOf: ErrorOf;
  onChange: (part: Partial<PairDraft>) => void;
};

const REPORTED_SETTING = 'claims.reported_minutes';
const PROOFS: PairDraft['verification'][] = ['none', 'card', 'identity'];

/** Where the course comes from, what is taken for it, and between which amounts. */
export function Terms({ draft, from, to, errorOf, onChange }: Props) {
  const { t, language } = useWords();
  const settings = useQuery({ queryKey: [...KEYS.settings, language], queryFn: api.settings });
  const reported = settings.data?.find((setting) => setting.key === REPORTED_SETTING)?.value;
  const field = (key: keyof PairDraft & string, path: string, label: string, help?: string) => (
    <NumberField
      label={label}
      help={help}
      value={String(draft[key])}
      error={errorOf(key, path)}
      onValue={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <>
      <h2 className={css.section}>{t('pairs.terms')}</h2>
      <div className={css.grid}>
        <Choice
          label={t('pairs.source')}
          value={draft.source}
          options={['market', 'manual'].map((source) => ({ value: source, label: t(`pairs.sources.${source}`) }))}
          onValue={(source) => onChange({ source: source as PairDraft['source'] })}
        />
        {draft.source === 'manual'
          ? field('manualRate', 'manualRate', t('pairs.manualRate', { from: from.ticker, to: to.ticker }))
          : field('spreadPercent', 'spreadPercent', t('pairs.spread'))}
        {draft.source === 'manual' && field('spreadPercent', 'spreadPercent', t('pairs.spread'))}
      </div>
      {field('hold', 'hold', t('pairs.hold'), t('pairs.holdHelp'))}
      {field(
        'reportedMinutes',
        'reportedMinutes',
        t('pairs.reportedMinutes'),
        reported === undefined ? t('pairs.reportedHelp') : t('pairs.reportedHelpNow', { minutes: reported }),
      )}
      <Choice
        label={t('pairs.verification')}
        help={draft.verification === 'card' ? t('pairs.verificationCard') : undefined}
        value={draft.verification}
        error={errorOf('verification', 'verification')}
        options={PROOFS.map((proof) => ({ value: proof, label: t(`pairs.proofs.${proof}`) }))}
        onValue={(verification) => onChange({ verification: verification as PairDraft['verification'] })}
      />
      <Toggle label={t('pairs.floating')} value={draft.floating} onValue={(floating) => onChange({ floating })} />
      <h2 className={css.section}>{t('pairs.limits')}</h2>
      <div className={css.grid}>
        {field('fromMin', 'limits.from.min', t('pairs.min', { side: t('claims.gives'), ticker: from.ticker }))}
        {field('fromMax', 'limits.from.max', t('pairs.max', { side: t('claims.gives'), ticker: from.ticker }))}
        {field('toMin', 'limits.to.min', t('pairs.min', { side: t('claims.gets'), ticker: to.ticker }))}
        {field('toMax', 'limits.to.max', t('pairs.max', { side: t('claims.gets'), ticker: to.ticker }))}
      </div>
      <h2 className={css.section}>{t('pairs.fees')}</h2>
      <div className={css.grid}>
        {field('feeFromFixed', 'fees.from.fixed', t('pairs.fixed', { side: t('claims.gives'), ticker: from.ticker }))}
        {field('feeFromPercent', 'fees.from.percent', t('pairs.percent', { side: t('claims.gives') }))}
        {field('feeToFixed', 'fees.to.fixed', t('pairs.fixed', { side: t('claims.gets'), ticker: to.ticker }))}
        {field('feeToPercent', 'fees.to.percent', t('pairs.percent', { side: t('claims.gets') }))}
      </div>
    </>
  );
}
