import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Coin } from '../../../public-web/src/components/Coin.tsx';
import { useList, useMayEdit } from '../api/index.ts';
import { Amount, Button, DataTable, EmptyNote, Page, useTexts } from '../ui/index.ts';
import table from '../ui/Table.module.css';
import { ArchiveDialog } from './ArchiveDialog.tsx';
import { CatalogueDialog } from './CatalogueDialog.tsx';
import css from './Currencies.module.css';
import { CurrencyDialog } from './CurrencyDialog.tsx';
import type { CatalogueEntry } from './catalogue.ts';
import { type CurrencyDraft, draftOfEntry, duplicateOf, emptyDraft } from './draft.ts';
import { TableDialog } from './TableDialog.tsx';

/** The dialog that is open. */
type Open = 'table' | { edit: number } | { archive: number } | { create: CurrencyDraft };
/** The parameter that opens the catalogue: other screens link to it. */
const CATALOGUE = 'new';

/** What the exchange trades in, in the order customers see it. */
export default function CurrenciesScreen() {
  const { t, language } = useTexts();
  const list = useList('/currencies');
  const mayEdit = useMayEdit('currencies');
  const [params, setParams] = useSearchParams();
  const [withArchived, setWithArchived] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const all = list.rows;
  const offered = all.filter(({ archived }) => !archived).sort((a, b) => a.position - b.position);
  const archived = all.filter((row) => row.archived);
  const rows = withArchived ? [...offered, ...archived] : offered;
  const find = (id: number) => all.find((row) => row.id === id);
  const close = () => setOpen(null);
  const search = () => setParams({ [CATALOGUE]: '' });
  const show = (next: Open) => {
    setParams({}, { replace: true });
    setOpen(next);
  };
  const choose = (entry: CatalogueEntry) => {
    const taken = all.find(({ code }) => code === entry.code);
    show(taken ? { edit: taken.id } : { create: draftOfEntry(entry) });
  };
  const dialog = open === 'table' ? null : open;
  const edited = dialog && 'edit' in dialog ? find(dialog.edit) : undefined;
  const archiving = dialog && 'archive' in dialog ? find(dialog.archive) : undefined;
  return (
    <Page
      title={t('screens.currencies')}
      line={all.length > 0 && t('currencies.line', { smart_count: offered.length })}
      actions={
        <>
          {archived.length > 0 && (
            <Button aria-pressed={withArchived} onClick={() => setWithArchived(!withArchived)}>
              {t(withArchived ? 'currencies.hideArchived' : 'currencies.showArchived', {
                smart_count: archived.length,
              })}
            </Button>
          )}
          {mayEdit && <Button onClick={() => setOpen('table')}>{t('marketTable.open')}</Button>}
          {mayEdit && all.length > 0 && <Button onClick={search}>{t('newCurrency.title')}</Button>}
        </>
      }
    >
      <DataTable
        list={{ ...list, rows }}
        rowKey={(row) => row.id}
        bones={{ height: 42 }}
        isOff={(row) => row.archived}
        empty={
          <EmptyNote title={t('currencies.empty')} text={t('currencies.emptyText')}>
            {mayEdit && (
              <Button variant="contained" onClick={search}>
                {t('currencies.addFirst')}
              </Button>
            )}
          </EmptyNote>
        }
        button={
          mayEdit && {
            label: t('action.edit'),
            name: (row) => row.code,
            onClick: (row) => setOpen({ edit: row.id }),
          }
        }
        columns={[
          {
            head: t('fields.code'),
            cell: (row) => (
              <span className={css.cellCoin}>
                <Coin of={{ ...row, name: row.name[language] }} size="tiny" />
                <strong>{row.code}</strong>
              </span>
            ),
          },
          {
            head: t('fields.name'),
            look: ['end'],
            cell: ({ name, network }) => (
              <>
                {name[language]} {!name[language].includes(network) && <span className={table.small}>{network}</span>}
              </>
            ),
          },
          { head: t('fields.kind'), look: ['wide'], cell: (row) => t(`currencies.kinds.${row.kind}`) },
          {
            head: t('currencies.open'),
            look: ['whole'],
            lookOf: (row) => !row.archived && !(row.send && row.receive) && 'bad',
            cell: (row) => t(`currencies.${openTo(row)}`),
          },
          { head: t('currencies.round'), look: ['wide'], cell: (row) => row.roundCalculator },
          {
            head: t('currencies.reserve'),
            look: ['right', 'wide'],
            cell: (row) => <Amount value={row.reserve} column />,
          },
        ]}
      />
      {mayEdit && params.has(CATALOGUE) && (
        <CatalogueDialog
          onChoose={choose}
          onOwn={() => show({ create: emptyDraft() })}
          onClose={() => setParams({}, { replace: true })}
        />
      )}
      {open === 'table' && <TableDialog table="currencies" onClose={close} />}
      {dialog && 'create' in dialog && <CurrencyDialog initial={dialog.create} onClose={close} />}
      {edited && (
        <CurrencyDialog
          key={edited.id}
          currency={edited}
          onDuplicate={(currency) => setOpen({ create: duplicateOf(currency) })}
          onArchive={({ id }) => setOpen({ archive: id })}
          onClose={close}
        />
      )}
      {archiving && <ArchiveDialog currency={archiving} onClose={close} />}
    </Page>
  );
}

function openTo({ send, receive, archived }: Schema<'CurrencyDetails'>): string {
  if (archived) return 'archived';
  if (send && receive) return 'both';
  if (send) return 'sendOnly';
  return receive ? 'receiveOnly' : 'neither';
}
