import type { ReactNode } from 'react';
import { fieldsOf, useGet } from '../api/index.ts';
import { Choice, NumberField, Toggle, useTexts } from '../ui/index.ts';
import { Cities } from './Cities.tsx';
import { type PairDraft, type PairTerms, wrongNumbers } from './draft.ts';
import { CustomerTerms, Notices } from './Notices.tsx';
import css from './PairDrawer.module.css';
import { Tiers } from './Tiers.tsx';
import { Tolerances } from './Tolerances.tsx';

/** The currency of one side; several at once have no id, and a word in the place of the ticker. */
export type Side = { id?: number; ticker: string };
type ErrorOf = (field: string, path: string) => string | undefined;
/** A field of the terms: key of the draft, path in the request, label and help. */
export type TermsField = (key: keyof PairDraft & string, path: string, label: string, help?: string) => ReactNode;
export type TermsProps = {
  draft: PairDraft;
  from: Side;
  to: Side;
  errorOf: ErrorOf;
  field: TermsField;
  onChange: (part: Partial<PairDraft>) => void;
  disabled?: boolean;
};

const REPORTED_SETTING = 'claims.reported_minutes';
const SOURCES: PairDraft['source'][] = ['market', 'manual'];
const PAYERS: PairDraft['networkFeePayer'][] = ['exchange', 'customer'];
const VERIFICATIONS: PairDraft['verification'][] = ['none', 'card', 'identity'];

/** Fields of the terms, which show what the server refused, below `at` in the body, or what is no number. */
export function useTermsFields(
  draft: PairDraft,
  onChange: TermsProps['onChange'],
  error: unknown,
  at = '',
): Pick<TermsProps, 'draft' | 'errorOf' | 'field' | 'onChange'> & { wrong: string[] } {
  const { t } = useTexts();
  const wrong = wrongNumbers(draft);
  const refusals = fieldsOf(error);
  const errorOf: ErrorOf = (field, path) =>
    refusals[at + path] ?? refusals[path] ?? (wrong.includes(field) ? t('error.number') : undefined);
  const field: TermsField = (key, path, label, help) => (
    <NumberField
      label={label}
      help={help}
      value={String(draft[key])}
      error={errorOf(key, path)}
      onValue={(value) => onChange({ [key]: value })}
    />
  );
  return { draft, errorOf, field, onChange, wrong };
}

/** The fields of each property of a pair; a manual rate comes with its source. */
const TERMS: Record<Exclude<keyof PairTerms, 'manualRate'>, (props: TermsProps) => ReactNode> = {
  enabled: Enabled,
  archived: Archived,
  source: Source,
  spreadPercent: Spread,
  hold: Hold,
  reportedMinutes: Reported,
  verification: Verification,
  floating: Floating,
  limits: Limits,
  fees: Fees,
  networkFeePayer: NetworkFeePayer,
  tiers: Tiers,
  tolerance: Tolerances,
  notices: Notices,
  customerTerms: CustomerTerms,
  cities: Cities,
};
export type Term = keyof typeof TERMS;
export const ALL_TERMS = Object.keys(TERMS) as Term[];

/** The property that a number of the draft belongs to. */
export function termOf(field: string): Term {
  if (field === 'manualRate') return 'source';
  if (field.startsWith('fee')) return 'fees';
  if (field.startsWith('tiers')) return 'tiers';
  if (/^(from|to)(Min|Max|Step)$/.test(field)) return 'limits';
  return /Tolerance/.test(field) ? 'tolerance' : (field as Term);
}

export function TermFields({ term, ...props }: TermsProps & { term: Term }) {
  const Fields = TERMS[term];
  return <Fields {...props} />;
}

/** Everything that can be set of a pair. */
export function Terms(props: TermsProps) {
  const { t } = useTexts();
  return (
    <>
      <Enabled {...props} />
      <h2 className={css.section}>{t('pairs.terms')}</h2>
      <div className={css.grid}>
        <Source {...props} />
        <Spread {...props} />
      </div>
      {ALL_TERMS.slice(ALL_TERMS.indexOf('hold')).map((term) => (
        <TermFields key={term} term={term} {...props} />
      ))}
    </>
  );
}

function Enabled({ draft, onChange, disabled }: TermsProps) {
  const { t } = useTexts();
  return (
    <Toggle
      label={t(draft.enabled ? 'pairs.isOn' : 'pairs.isOff')}
      value={draft.enabled}
      disabled={disabled || draft.archived}
      onValue={(enabled) => onChange({ enabled })}
    />
  );
}

function Archived({ draft, onChange, disabled }: TermsProps) {
  const { t } = useTexts();
  return (
    <Toggle
      label={t(draft.archived ? 'pairs.inArchive' : 'pairs.notInArchive')}
      value={draft.archived}
      disabled={disabled}
      onValue={(archived) => onChange({ archived })}
    />
  );
}

function Source({ draft, from, to, field, onChange }: TermsProps) {
  const { t } = useTexts();
  return (
    <>
      <Choice
        label={t('pairs.source')}
        value={draft.source}
        options={SOURCES.map((source) => ({ value: source, label: t(`pairs.sources.${source}`) }))}
        onValue={(source) => onChange({ source })}
      />
      {draft.source === 'manual' &&
        field('manualRate', 'manualRate', t('pairs.manualRate', { from: from.ticker, to: to.ticker }))}
    </>
  );
}

function Spread({ field }: TermsProps) {
  const { t } = useTexts();
  return field('spreadPercent', 'spreadPercent', t('pairs.spread'));
}

function Hold({ field }: TermsProps) {
  const { t } = useTexts();
  return field('hold', 'hold', t('pairs.hold'), t('pairs.holdHelp'));
}

function Reported({ field }: TermsProps) {
  const { t } = useTexts();
  const settings = useGet('/settings');
  const reported = settings.data?.find((setting) => setting.key === REPORTED_SETTING)?.value;
  return field(
    'reportedMinutes',
    'reportedMinutes',
    t('pairs.reportedMinutes'),
    reported === undefined ? t('pairs.reportedHelp') : t('pairs.reportedHelpNow', { minutes: reported }),
  );
}

function Verification({ draft, errorOf, onChange }: TermsProps) {
  const { t } = useTexts();
  return (
    <Choice
      label={t('pairs.verification')}
      help={draft.verification === 'card' ? t('pairs.verificationCard') : undefined}
      value={draft.verification}
      error={errorOf('verification', 'verification')}
      options={VERIFICATIONS.map((value) => ({ value, label: t(`pairs.verifications.${value}`) }))}
      onValue={(verification) => onChange({ verification })}
    />
  );
}

function Floating({ draft, onChange, disabled }: TermsProps) {
  const { t } = useTexts();
  return (
    <Toggle
      label={t('pairs.floating')}
      value={draft.floating}
      disabled={disabled}
      onValue={(floating) => onChange({ floating })}
    />
  );
}

function Limits({ from, to, field }: TermsProps) {
  const { t } = useTexts();
  return (
    <>
      <h2 className={css.section}>{t('pairs.limits')}</h2>
      <div className={css.grid}>
        {field('fromMin', 'limits.from.min', t('pairs.min', { side: t('fields.gives'), ticker: from.ticker }))}
        {field('fromMax', 'limits.from.max', t('pairs.max', { side: t('fields.gives'), ticker: from.ticker }))}
        {field('fromStep', 'limits.from.step', t('pairs.step', { side: t('fields.gives'), ticker: from.ticker }))}
        {field('toMin', 'limits.to.min', t('pairs.min', { side: t('fields.receives'), ticker: to.ticker }))}
        {field('toMax', 'limits.to.max', t('pairs.max', { side: t('fields.receives'), ticker: to.ticker }))}
        {field('toStep', 'limits.to.step', t('pairs.step', { side: t('fields.receives'), ticker: to.ticker }))}
      </div>
    </>
  );
}

function Fees({ from, to, field }: TermsProps) {
  const { t } = useTexts();
  return (
    <>
      <h2 className={css.section}>{t('pairs.fees')}</h2>
      <div className={css.grid}>
        {field('feeFromFixed', 'fees.from.fixed', t('pairs.fixed', { side: t('fields.gives'), ticker: from.ticker }))}
        {field('feeFromPercent', 'fees.from.percent', t('pairs.percent', { side: t('fields.gives') }))}
        {field('feeToFixed', 'fees.to.fixed', t('pairs.fixed', { side: t('fields.receives'), ticker: to.ticker }))}
        {field('feeToPercent', 'fees.to.percent', t('pairs.percent', { side: t('fields.receives') }))}
      </div>
    </>
  );
}

function NetworkFeePayer({ draft, onChange }: TermsProps) {
  const { t } = useTexts();
  return (
    <Choice
      label={t('pairs.networkFeePayer')}
      help={t('pairs.networkFeePayerHelp')}
      value={draft.networkFeePayer}
      options={PAYERS.map((value) => ({ value, label: t(`pairs.payers.${value}`) }))}
      onValue={(networkFeePayer) => onChange({ networkFeePayer })}
    />
  );
}
