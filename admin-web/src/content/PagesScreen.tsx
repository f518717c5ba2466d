import { Link, useNavigate, useParams } from 'react-router';
import { useList, useMayEdit } from '../api/index.ts';
import { DataTable, Page, useTab, useTexts } from '../ui/index.ts';
import css from '../ui/Table.module.css';
import { EditorScreen } from './EditorScreen.tsx';
import { Messages } from './Messages.tsx';

const TABS = ['pages', 'messages'] as const;

/** The texts of the information pages, and messages to support. */
export default function PagesScreen() {
  const { page } = useParams();
  return page ? <EditorScreen key={page} page={page} /> : <Lists />;
}

function Lists() {
  const { t } = useTexts();
  const [tab, tabs] = useTab(TABS, t('content.list'), (name) => t(`content.tabs.${name}`));
  return (
    <Page title={t('screens.content')} line={t('content.line')} actions={tabs}>
      {tab === 'messages' ? <Messages /> : <Pages />}
    </Page>
  );
}

function Pages() {
  const { t, language, dateTimeText } = useTexts();
  const navigate = useNavigate();
  const mayEdit = useMayEdit('content');
  const list = useList('/content');
  return (
    <>
      <DataTable
        list={list}
        rowKey={(row) => row.page}
        bones={{ rows: 7, height: 42 }}
        onOpen={(row) => navigate(`/pages/${row.page}`)}
        columns={[
          {
            head: t('content.page'),
            cell: (row) => (
              <Link to={`/pages/${row.page}`}>{t(`content.names.${row.page}`, { _: row.title[language] })}</Link>
            ),
          },
          { head: t('content.version'), look: ['wide'], cell: ({ newest }) => newest.version },
          {
            head: t('content.published'),
            look: ['whole'],
            cell: ({ newest }) => <time dateTime={newest.publishedAt}>{dateTimeText(newest.publishedAt)}</time>,
          },
          {
            head: t('content.by'),
            cell: ({ newest }) => newest.publishedBy ?? <span className={css.muted}>{t('content.builtIn')}</span>,
          },
          { head: t('content.note'), look: ['wide'], cell: ({ newest }) => newest.note },
        ]}
      />
      {!list.isPending && !mayEdit && <p className={`${css.chips} ${css.muted}`}>{t('content.readOnly')}</p>}
    </>
  );
}
