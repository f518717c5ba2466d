import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, useAction, useCurrencies, useList } from '../api/index.ts';
import { Choice, DataTable, FormDialog, Refusal, Section, Toggle, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import own from './Aggregators.module.css';
import { type Mark, MarkSet } from './MarkSet.tsx';

type Direction = Schema<'AggregatorDirection'>;

const saveDirection = ({ giveId, receiveId }: Direction, body: Schema<'UpdateAggregatorDirectionRequest'>) =>
  api.PUT('/aggregators/directions/{from}/{to}', { params: { path: { from: giveId, to: receiveId } }, body });

/** What aggregators get of each direction from a currency. */
export function Directions({ marks, mayEdit }: { marks: Mark[]; mayEdit: boolean }) {
  const { t } = useTexts();
  const [from, setFrom] = useState('');
  const given = useCurrencies().filter((currency) => currency.send);
  return (
    <Section title={t('aggregators.directions')}>
      <p className={own.text}>{t('aggregators.directionsText')}</p>
      <div className={own.choice}>
        <Choice
          label={t('aggregators.from')}
          value={from}
          options={[
            { value: '', label: t('aggregators.choose') },
            ...given.map(({ id, code }) => ({ value: String(id), label: code })),
          ]}
          onValue={setFrom}
        />
      </div>
      {from !== '' && (
        <DirectionTable
          key={from}
          from={Number(from)}
          code={given.find(({ id }) => String(id) === from)?.code ?? ''}
          marks={marks}
          mayEdit={mayEdit}
        />
      )}
    </Section>
  );
}

type TableProps = { from: number; code: string; marks: Mark[]; mayEdit: boolean };

function DirectionTable({ from, code, marks: all, mayEdit }: TableProps) {
  const { t } = useTexts();
  const list = useList('/aggregators/directions', { query: { from } });
  const [editing, setEditing] = useState<Direction | null>(null);
  const done = t('aggregators.saved');
  const stale = ['/aggregators*'];
  const set = useAction({
    run: ({ row, listed }: { row: Direction; listed: boolean }) => saveDirection(row, { listed, marks: row.marks }),
    done,
    stale,
  });
  return (
    <>
      <Refusal error={set.error} />
      <DataTable
        list={list}
        empty={{ title: t('aggregators.noDirections') }}
        bones={{ rows: 4 }}
        rowKey={(row) => row.receiveId}
        isOff={(row) => !row.listed}
        button={
          mayEdit && {
            label: t('aggregators.marks'),
            head: t('aggregators.edit'),
            name: (row) => row.to,
            onClick: setEditing,
          }
        }
        columns={[
          { head: t('aggregators.to'), cell: (row) => <strong>{row.to}</strong> },
          {
            head: t('aggregators.marks'),
            cell: (row) => (
              <>
                {[...row.marks, ...row.ownMarks].join(', ') || t('state.none')}
                {!row.set && <span className={css.small}> {t('aggregators.usual')}</span>}
              </>
            ),
          },
          {
            head: t('aggregators.listed'),
            cell: (row) => (
              <Toggle
                hidden
                label={t('aggregators.listedLabel', { code: row.to })}
                value={row.listed}
                disabled={!mayEdit || set.isPending}
                onValue={(listed) => set.mutate({ row, listed })}
              />
            ),
          },
        ]}
      />
      {editing && (
        <FormDialog
          title={t('aggregators.directionTitle', { from: code, to: editing.to })}
          initial={{ marks: editing.marks }}
          save={({ marks }) => saveDirection(editing, { listed: editing.listed, marks })}
          done={done}
          stale={stale}
          onClose={() => setEditing(null)}
        >
          {({ draft, change }) => (
            <MarkSet
              legend={t('aggregators.marks')}
              all={all}
              marks={draft.marks}
              onMarks={(marks) => change({ marks })}
            />
          )}
        </FormDialog>
      )}
    </>
  );
}
