import type { ReactNode } from 'react';
import { type Row, useList } from '../api/index.ts';
import { DataTable, Page, useTexts } from '../ui/index.ts';

type Direction = Row<'/waitlist'>;

/** Visitors come and go without the live stream announcing it. */
const REFRESH_MS = 30_000;

/** How many visitors wait for each direction, the most wanted first. */
export function Waitlist({ tabs }: { tabs: ReactNode }) {
  const { t } = useTexts();
  const list = useList('/waitlist', { refetchInterval: REFRESH_MS });
  const totals = totalsOf(list.rows).map(([currency, count]) => t('waitlist.people', { currency, count }));
  return (
    <Page title={t('waitlist.tab')} line={totals.join(' · ')} actions={tabs}>
      <DataTable
        list={list}
        rowKey={(row) => `${row.giveId} ${row.receiveId}`}
        bones={{ rows: 5, height: 42 }}
        empty={{ title: t('waitlist.none'), text: t('waitlist.noneText') }}
        columns={[
          {
            head: t('things.pair'),
            cell: (row) => (
              <strong>
                {row.give} → {row.receive}
              </strong>
            ),
          },
          { head: t('waitlist.waiting'), look: ['right'], cell: (row) => row.waiting },
          { head: t('waitlist.forRate'), look: ['right', 'wide'], cell: (row) => row.waitingForRate },
        ]}
      />
    </Page>
  );
}

/** How many wait for each received currency, the most wanted first. */
export function totalsOf(rows: readonly Direction[]): [string, number][] {
  const totals = new Map<string, number>();
  for (const { receiveTicker, waiting } of rows) totals.set(receiveTicker, (totals.get(receiveTicker) ?? 0) + waiting);
  return [...totals].sort(([, one], [, other]) => other - one);
}
