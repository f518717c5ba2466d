import type { ReactNode } from 'react';
import { useGet } from '../api/hooks.ts';
import { Choice } from '../ui/Field.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useTexts } from '../ui/useTexts.ts';
import type { PairDraft } from './draft.ts';
import type { Currency } from './matrix.ts';
import css from './PairDrawer.module.css';

export type ErrorOf = (field: string, path: string) => string | undefined;
/** A field of the terms: key of the draft, path in the request, label and help. */
export type TermsField = (key: keyof PairDraft & string, path: string, label: string, help?: string) => ReactNode;
type Props = {
  draft: PairDraft;
  from: Currency;
  to: Currency;
  errorOf: ErrorOf;
  field: TermsField;
  onChange: (part: Partial<PairDraft>) => void;
};

const REPORTED_SETTING = 'claims.reported_minutes';
const SOURCES: PairDraft['source'][] = ['market', 'manual'];
const VERIFICATIONS: PairDraft['verification'][] = ['none', 'card', 'identity'];

/** The source of the rate, spread, fees and limits. */
export function Terms({ draft, from, to, errorOf, field, onChange }: Props) {
  const { t } = useTexts();
  const settings = useGet('/settings');
  const reported = settings.data?.find((setting) => setting.key === REPORTED_SETTING)?.value;
  return (
    <>
      <h2 className={css.section}>{t('pairs.terms')}</h2>
      <div className={css.grid}>
        <Choice
          label={t('pairs.source')}
          value={draft.source}
          options={SOURCES.map((source) => ({ value: source, label: t(`pairs.sources.${source}`) }))}
          onValue={(source) => onChange({ source })}
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
        options={VERIFICATIONS.map((value) => ({ value, label: t(`pairs.verifications.${value}`) }))}
        onValue={(verification) => onChange({ verification })}
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
