import { type KeyboardEvent, useId, useState } from 'react';
import { Coin } from '../../../public-web/src/components/Coin.tsx';
import { useGet } from '../api/index.ts';
import { Button, EmptyNote, Field, Loaded, Modal, Segments, useTexts } from '../ui/index.ts';
import css from './Currencies.module.css';
import { type CatalogueEntry, searchCatalogue } from './catalogue.ts';
import { KINDS } from './draft.ts';

/** Found entries that are shown; more than these nobody reads. */
const SHOWN = 60;
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

type Props = {
  onChoose: (entry: CatalogueEntry) => void;
  onOwn: () => void;
  onClose: () => void;
};

/** A new currency begins with a search in the catalogue, or with nothing for one of the owner's own. */
export function CatalogueDialog({ onChoose, onOwn, onClose }: Props) {
  const { t } = useTexts();
  const catalogue = useGet('/catalogue');
  return (
    <Modal
      open
      title={t('newCurrency.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button onClick={onOwn}>{t('newCurrency.own')}</Button>
        </>
      }
    >
      <Loaded answer={catalogue} bones={{ rows: 6, height: 48 }}>
        {(entries) => <Search entries={entries} onChoose={onChoose} />}
      </Loaded>
    </Modal>
  );
}

function Search({ entries, onChoose }: { entries: CatalogueEntry[]; onChoose: (entry: CatalogueEntry) => void }) {
  const { t, language } = useTexts();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [kind, setKind] = useState<CatalogueEntry['kind'] | 'all'>('all');
  const [at, setAt] = useState(0);
  const found = searchCatalogue(
    entries.filter((entry) => kind === 'all' || entry.kind === kind),
    query,
  );
  const shown = found.slice(0, SHOWN);
  const idOf = (entry: CatalogueEntry | undefined) => entry && `${listId}-${entry.code}`;
  const press = (event: KeyboardEvent) => {
    const chosen = shown[at];
    if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      onChoose(chosen);
    }
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(shown.length - 1, at + step));
    setAt(next);
    document.getElementById(idOf(shown[next]) ?? '')?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <Field
        label={t('newCurrency.search')}
        placeholder={t('newCurrency.searchHint')}
        autoFocus
        autoComplete="off"
        value={query}
        onValue={(text) => {
          setQuery(text);
          setAt(0);
        }}
        onKeyDown={press}
        inputProps={{
          role: 'combobox',
          'aria-expanded': true,
          'aria-controls': listId,
          'aria-activedescendant': idOf(shown[at]),
        }}
      />
      <div className={css.kinds}>
        <Segments
          label={t('fields.kind')}
          value={kind}
          onValue={(value) => {
            setKind(value);
            setAt(0);
          }}
          options={(['all', ...KINDS] as const).map((value) => ({ value, label: t(`pairs.filters.${value}`) }))}
        />
      </div>
      <div id={listId} className={css.found} role="listbox" aria-label={t('newCurrency.found')}>
        {shown.map((entry, index) => (
          <button
            key={entry.code}
            id={idOf(entry)}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={css.entry}
            onClick={() => onChoose(entry)}
          >
            <Coin of={{ ...entry, name: entry.name[language] }} size="small" />
            <span className={css.entryName}>
              <strong>{entry.name[language]}</strong>
              <small>
                {entry.code} · {entry.network[language]}
              </small>
            </span>
            {entry.taken && <small className={css.taken}>{t('newCurrency.taken')}</small>}
          </button>
        ))}
      </div>
      {found.length > SHOWN && (
        <p className={css.note}>{t('newCurrency.more', { smart_count: found.length - SHOWN })}</p>
      )}
      {found.length === 0 && <EmptyNote title={t('newCurrency.nothing')} text={t('newCurrency.nothingText')} />}
    </>
  );
}
