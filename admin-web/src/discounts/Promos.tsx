import { useState } from 'react';
import { useList, useMayEdit } from '../api/index.ts';
import { Button, DataTable, useTexts } from '../ui/index.ts';
import own from './Discounts.module.css';
import { PromoDialog } from './PromoDialog.tsx';
import { PromoPanel } from './PromoPanel.tsx';

/** Promo codes, the newest first. */
export function Promos() {
  const { t, percentText, dateTimeText } = useTexts();
  const mayEdit = useMayEdit('discounts');
  const [open, setOpen] = useState<string | 'new' | null>(null);
  const list = useList('/discounts/promos');
  return (
    <>
      {mayEdit && (
        <div className={own.bar}>
          <Button onClick={() => setOpen('new')}>{t('discounts.addPromo')}</Button>
        </div>
      )}
      <DataTable
        list={list}
        bones={{ height: 42 }}
        empty={{ title: t('discounts.noPromos'), text: t('discounts.noPromosText') }}
        rowKey={(row) => row.code}
        isOff={({ state }) => state !== 'active' && state !== 'planned'}
        onOpen={(row) => setOpen(row.code)}
        columns={[
          { head: t('fields.code'), opens: true, cell: (row) => <strong>{row.code}</strong> },
          {
            head: t('fields.percent'),
            look: ['end'],
            cell: (row) => `+${percentText(row.percent)}`,
          },
          { head: t('fields.state'), cell: (row) => t(`discounts.states.${row.state}`) },
          {
            head: t('discounts.uses'),
            look: ['end'],
            cell: ({ uses, usesMax }) =>
              usesMax === null
                ? t('discounts.usesSoFar', { smart_count: uses })
                : t('discounts.usesOf', { uses, max: usesMax }),
          },
          {
            head: t('fields.until'),
            look: ['small'],
            cell: (row) => (row.endsAt ? dateTimeText(row.endsAt) : t('discounts.noEnd')),
          },
          { head: t('discounts.note'), look: ['small', 'end'], cell: (row) => row.note },
        ]}
      />
      {open === 'new' && <PromoDialog onClose={() => setOpen(null)} />}
      {open !== null && open !== 'new' && <PromoPanel code={open} mayEnd={mayEdit} onClose={() => setOpen(null)} />}
    </>
  );
}
