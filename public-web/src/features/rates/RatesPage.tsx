import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Field } from '../../components/Field';
import { Head } from '../../components/Head';
import { LoadFailure } from '../../components/LoadFailure';
import { Skeleton } from '../../components/Skeleton';
import { useT } from '../../i18n/texts';
import { Served } from '../../served/Served';
import { type ServedPage, useServedPage } from '../../served/servedPage';
import { useSite } from '../../site';
import styles from './RatesPage.module.css';

/** The server fills the rows (platform/server/src/http/market_pages.rs). */
const SLOTS: ServedPage = { title: '', description: '', blocks: { rates: 'AGIO_SLOT_RATES' }, data: {} };

export function Component() {
  const t = useT('rates');
  const { pathname } = useLocation();
  const { siteName } = useSite();
  const [answer, again] = useServedPage(pathname, SLOTS);
  return (
    <>
      <Head title={`${t('title')} | ${siteName}`} description={t('description')} path="/rates" />
      <div className={`wrap ${styles.page}`}>
        <h1>{t('heading')}</h1>
        <p className="muted">{t('lead')}</p>
        {answer.state === 'ready' ? <RateTable html={answer.value.blocks.rates ?? ''} /> : null}
        {answer.state === 'loading' ? <Skeleton isOpen /> : null}
        {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      </div>
    </>
  );
}

function RateTable({ html }: { html: string }) {
  const t = useT('rates');
  const [query, setQuery] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...(table.current?.querySelectorAll<HTMLElement>('tr[data-codes]') ?? [])];
    for (const row of rows) {
      const text = `${row.firstElementChild?.textContent} ${row.dataset.codes}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    setEmpty(rows.length > 0 && rows.every(({ hidden }) => hidden));
  }, [query]);
  return (
    <>
      <Field
        className={styles.filter}
        type="search"
        label={t('filter')}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        autoComplete="off"
      />
      <table ref={table} className={`rate-rows ${styles.rates}`}>
        <thead>
          <tr>
            <th scope="col">{t('exchange')}</th>
            <th scope="col">{t('unit')}</th>
            <th scope="col">{t('limits')}</th>
            <th scope="col">{t('reserve')}</th>
          </tr>
        </thead>
        <Served as="tbody" name="rates" html={html} />
      </table>
      <p role="status">{isEmpty ? t('empty') : null}</p>
    </>
  );
}
