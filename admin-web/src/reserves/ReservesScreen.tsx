import type { Schema } from '@agio/client/admin';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useList, useMayEdit } from '../api/index.ts';
import { NoCurrencies } from '../setup/NoCurrencies.tsx';
import { compare, isZero, share } from '../ui/decimal.ts';
import { Amount, Button, DataTable, Page, useTab, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { MovementDialog } from './MovementDialog.tsx';
import { Movements } from './Movements.tsx';
import { Waitlist } from './Waitlist.tsx';

type Reserve = Schema<'ReserveView'>;

const isLow = ({ available, floor }: Reserve): boolean => compare(available, floor) < 0;

const TABS = ['reserves', 'waitlist'] as const;

/** What the exchange can pay out, and who waits for more of it. */
export default function ReservesScreen() {
  const { t } = useTexts();
  const [tab, tabs] = useTab(TABS, t('waitlist.list'), (name) =>
    t(name === 'waitlist' ? 'waitlist.tab' : 'screens.reserves'),
  );
  return tab === 'waitlist' ? <Waitlist tabs={tabs} /> : <Reserves tabs={tabs} />;
}

/** The reserves and the movements of each. */
function Reserves({ tabs }: { tabs: ReactNode }) {
  const { t, dateTimeText } = useTexts();
  const list = useList('/reserves');
  const [params, setParams] = useSearchParams();
  const mayMove = useMayEdit('reserves');
  const [moving, setMoving] = useState<Reserve | null>(null);
  const chosen = list.rows.find((row) => String(row.currencyId) === params.get('currency'));
  return (
    <Page
      title={t('screens.reserves')}
      line={!list.isPending && !list.error && t('reserves.line', { smart_count: list.rows.filter(isLow).length })}
      actions={tabs}
    >
      <div className={`${css.columns} ${chosen ? css.withAside : ''}`}>
        <DataTable
          list={list}
          rowKey={(row) => row.currencyId}
          isOpen={(row) => row === chosen}
          bones={{ height: 42 }}
          empty={<NoCurrencies title={t('reserves.empty')} />}
          buttons={(row) => (
            <>
              <Button
                variant="text"
                onClick={() => setParams({ currency: String(row.currencyId) })}
                aria-label={`${t('reserves.movements')}: ${row.code}`}
              >
                {t('reserves.movements')}
              </Button>
              {mayMove && (
                <Button onClick={() => setMoving(row)} aria-label={`${t('action.edit')}: ${row.code}`}>
                  {t('action.edit')}
                </Button>
              )}
            </>
          )}
          columns={[
            { head: t('things.currency'), cell: (row) => <strong>{row.code}</strong> },
            {
              head: t('reserves.available'),
              look: ['right'],
              lookOf: (row) => isLow(row) && 'bad',
              cell: (row) => <Amount value={row.available} column />,
            },
            {
              head: t('reserves.held'),
              look: ['right', 'wide', 'spare'],
              cell: (row) =>
                isZero(row.held) ? (
                  <span className="visually-hidden">{t('reserves.nothing')}</span>
                ) : (
                  <Amount value={row.held} column />
                ),
            },
            { head: t('reserves.floor'), look: ['wide'], cell: (row) => <Floor row={row} /> },
            {
              head: t('reserves.updated'),
              look: ['small', 'wide', 'spare'],
              cell: (row) => row.updatedAt && dateTimeText(row.updatedAt),
            },
          ]}
        />
        {chosen && (
          <Movements
            key={chosen.currencyId}
            reserve={chosen}
            onMove={mayMove ? () => setMoving(chosen) : null}
            onClose={() => setParams({})}
          />
        )}
      </div>
      {moving && <MovementDialog reserve={moving} onClose={() => setMoving(null)} />}
    </Page>
  );
}

/** The available reserve against its floor; a full bar is the floor and more. */
function Floor({ row }: { row: Reserve }) {
  return (
    <>
      <Amount value={row.floor} />
      <span className={css.gauge} aria-hidden="true">
        <span
          className={isLow(row) ? css.low : css.level}
          style={{ width: `${share(row.available, row.floor) * 100}%` }}
        />
      </span>
    </>
  );
}
