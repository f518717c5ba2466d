import { isDecimal } from '../ui/decimal.ts';
import { DataTable, useTexts } from '../ui/index.ts';
import css from './DryRun.module.css';
import { changedTerms, type PairTerms, type TermChange } from './draft.ts';
import type { Currency, Pair } from './matrix.ts';

/** More rows than these nobody reads. */
const SHOWN = 100;

type Props = { pairs: Pair[]; currencies: Currency[]; set: Partial<PairTerms> };

/** Every value that a change of several pairs changes. */
export function TermChanges({ pairs, currencies, set }: Props) {
  const { t } = useTexts();
  const codes = new Map(currencies.map((currency) => [currency.id, currency.code]));
  const nameOf = (pair: Pair) => `${codes.get(pair.giveId)} → ${codes.get(pair.receiveId)}`;
  const rows = pairs.flatMap((pair) =>
    changedTerms(pair, set).map((change, place) => ({
      ...change,
      key: `${pair.id}-${change.path}`,
      direction: place === 0 ? nameOf(pair) : '',
    })),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h4 className={css.title}>{t('bulk.terms')}</h4>
      <DataTable
        within
        list={rows.slice(0, SHOWN)}
        rowKey={(row) => row.key}
        columns={[
          { head: t('things.pair'), cell: (row) => row.direction },
          { head: t('fields.what'), cell: (row) => <TermName path={row.path} /> },
          { head: t('fields.now'), look: ['muted'], cell: (row) => <Value path={row.path} value={row.before} /> },
          { head: t('fields.after'), cell: (row) => <Value path={row.path} value={row.after} /> },
        ]}
      />
      {rows.length > SHOWN && <p className={css.note}>{t('newPairs.rest', { smart_count: rows.length - SHOWN })}</p>}
    </>
  );
}

/** A value by the words of the form: the property, then the parts of it. */
function TermName({ path }: { path: string }) {
  const { t } = useTexts();
  const [property = '', ...parts] = path.split('.');
  const name = property === 'manualRate' ? t('bulk.manualRate') : t(`bulk.fields.${property}`);
  return <>{[name, ...parts.map((part) => t(`bulk.parts.${part}`))].join(', ')}</>;
}

function Value({ path, value }: { path: string; value: TermChange['before'] }) {
  const { t, amountText } = useTexts();
  if (value === null || value === '') return <>—</>;
  if (typeof value === 'boolean') return <>{t(value ? 'state.yes' : 'state.no')}</>;
  if (path === 'source') return <>{t(`pairs.sources.${value}`)}</>;
  if (path === 'networkFeePayer') return <>{t(`pairs.payers.${value}`)}</>;
  if (path === 'verification') return <>{t(`pairs.verifications.${value}`)}</>;
  const text = String(value);
  return <>{isDecimal(text) ? amountText(text) : text}</>;
}
