import { useSearchParams } from 'react-router';
import { api, fieldsOf, useAction, useGet } from '../api/index.ts';
import { isZero } from '../ui/decimal.ts';
import { Amount, Button, DataTable, Field, Page, Refusal, Section, Sum, useTexts } from '../ui/index.ts';
import { saveFile } from '../ui/saveFile.ts';
import css from '../ui/Table.module.css';

/** What was exchanged in a period and the income from it, by direction and by currency. */
export default function TurnoverScreen() {
  const { t } = useTexts();
  const [params, setParams] = useSearchParams();
  const [from, to] = [params.get('from'), params.get('to')];
  const query = { ...(from && { from }), ...(to && { to }) };
  const report = useGet('/turnover', { query });
  const days = { from: from ?? report.data?.from ?? '', to: to ?? report.data?.to ?? '' };
  const download = useAction({
    run: () => api.GET('/turnover/csv', { params: { query }, parseAs: 'blob' }),
    stale: [],
    onDone: (table) => saveFile(`${days.from}--${days.to}.csv`, table),
  });
  const directions = report.data?.directions ?? [];
  return (
    <Page
      title={t('screens.turnover')}
      line={report.data && t('turnover.line', { zone: report.data.timeZone })}
      actions={
        <Button disabled={directions.length === 0 || download.isPending} onClick={() => download.mutate()}>
          {t('turnover.download')}
        </Button>
      }
    >
      <search className={css.chips}>
        {(['from', 'to'] as const).map((part) => (
          <Field
            key={part}
            label={t(`turnover.${part}`)}
            type="date"
            value={days[part]}
            error={fieldsOf(report.error)[part]}
            onValue={(day) => setParams({ ...days, [part]: day })}
          />
        ))}
      </search>
      <Refusal error={download.error} />
      <DataTable
        list={{ ...report, rows: directions }}
        empty={{ title: t('turnover.empty'), text: t('turnover.emptyText') }}
        rowKey={(row) => `${row.from}-${row.to}`}
        columns={[
          { head: t('things.pair'), look: ['whole', 'full'], cell: (row) => `${row.from} → ${row.to}` },
          { head: t('turnover.claims'), number: true, cell: (row) => row.claims },
          { head: t('turnover.given'), number: true, cell: (row) => <Sum value={row.given} code={row.from} /> },
          { head: t('turnover.received'), number: true, cell: (row) => <Sum value={row.received} code={row.to} /> },
          { head: t('turnover.spread'), number: true, cell: (row) => <Sum value={row.spread} code={row.to} /> },
          {
            head: t('turnover.fees'),
            number: true,
            cell: (row) => (
              <>
                {!isZero(row.giveFee) && (
                  <div>
                    <Sum value={row.giveFee} code={row.from} />
                  </div>
                )}
                {(!isZero(row.receiveFee) || isZero(row.giveFee)) && <Sum value={row.receiveFee} code={row.to} />}
              </>
            ),
          },
        ]}
      />
      {report.data && directions.length > 0 && (
        <Section title={t('turnover.totals')}>
          <DataTable
            list={report.data.currencies}
            rowKey={(total) => total.currency}
            columns={[
              { head: t('things.currency'), look: ['full'], cell: (total) => <strong>{total.currency}</strong> },
              { head: t('turnover.given'), number: true, cell: (total) => <Amount value={total.given} /> },
              { head: t('turnover.received'), number: true, cell: (total) => <Amount value={total.received} /> },
              { head: t('turnover.spread'), number: true, cell: (total) => <Amount value={total.spread} /> },
              { head: t('turnover.fees'), number: true, cell: (total) => <Amount value={total.fees} /> },
              { head: t('turnover.income'), number: true, cell: (total) => <Amount value={total.income} /> },
            ]}
          />
        </Section>
      )}
    </Page>
  );
}
