import type { ContentRow } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { useCanAccess } from 'react-admin';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { ErrorNote, SkeletonRows } from '../ui/States.tsx';
import table from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import { EditorScreen } from './EditorScreen.tsx';
import { Messages } from './Messages.tsx';

/** The texts of the information pages, and what visitors write to support. */
export default function PagesScreen() {
  const { page } = useParams();
  return page ? <EditorScreen key={page} page={page} /> : <Lists />;
}

function Lists() {
  const { t } = useWords();
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab') === 'messages' ? 'messages' : 'pages';
  return (
    <Page
      title={t('content.title')}
      line={t('content.line')}
      actions={
        <Segments
          label={t('content.list')}
          value={tab}
          options={['pages', 'messages'].map((value) => ({ value, label: t(`content.tabs.${value}`) }))}
          onValue={(next) => setSearch(next === 'pages' ? {} : { tab: next })}
        />
      }
    >
      {tab === 'messages' ? <Messages /> : <Pages />}
    </Page>
  );
}

function Pages() {
  const { t } = useWords();
  const { canAccess: mayChange = true } = useCanAccess({ resource: 'content', action: 'edit' });
  const { data, error, isPending, refetch } = useQuery({ queryKey: KEYS.content, queryFn: api.contents });
  if (isPending) return <SkeletonRows rows={7} height={42} />;
  if (!data) return <ErrorNote error={error} retry={() => void refetch()} />;
  return (
    <div className={table.wrap}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('content.page')}</th>
            <th scope="col" className={table.wide}>
              {t('content.version')}
            </th>
            <th scope="col">{t('content.published')}</th>
            <th scope="col">{t('content.by')}</th>
            <th scope="col" className={table.wide}>
              {t('content.note')}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((row) => (
            <Row key={row.page} row={row} />
          ))}
        </tbody>
      </table>
      {!mayChange && <p className={`${table.chips} ${table.muted}`}>{t('content.readOnly')}</p>}
    </div>
  );
}

function Row({ row }: { row: ContentRow }) {
  const { t, language } = useWords();
  const navigate = useNavigate();
  const { newest } = row;
  return (
    <tr className={table.choosing} onClick={() => navigate(`/pages/${row.page}`)}>
      <td>
        <Link to={`/pages/${row.page}`} onClick={(event) => event.stopPropagation()}>
          {t(`content.names.${row.page}`, { _: row.title[language] })}
        </Link>
      </td>
      <td className={table.wide}>{newest.version}</td>
      <td className={table.whole}>
        <time dateTime={newest.publishedAt}>{momentText(newest.publishedAt, language)}</time>
      </td>
      <td>{newest.publishedBy ?? <span className={table.muted}>{t('content.house')}</span>}</td>
      <td className={table.wide}>{newest.note}</td>
    </tr>
  );
}
