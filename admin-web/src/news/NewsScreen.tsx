import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useList, useMayEdit } from '../api/index.ts';
import { Button, DataTable, Page, useTexts } from '../ui/index.ts';
import { NewPostDialog } from './NewPostDialog.tsx';
import { PostScreen } from './PostScreen.tsx';

/** News of the exchange, drafts included. */
export default function NewsScreen() {
  const { id } = useParams();
  return id ? <PostScreen key={id} id={id} /> : <Posts />;
}

function Posts() {
  const { t, language, dateTimeText } = useTexts();
  const navigate = useNavigate();
  const mayEdit = useMayEdit('content');
  const list = useList('/news');
  const [isAdding, setAdding] = useState(false);
  return (
    <Page
      title={t('screens.news')}
      line={t('news.line')}
      actions={mayEdit && <Button onClick={() => setAdding(true)}>{t('news.add')}</Button>}
    >
      <DataTable
        list={list}
        rowKey={(row) => row.id}
        bones={{ rows: 5, height: 42 }}
        isOff={(row) => row.state === 'draft'}
        empty={{ title: t('news.none'), text: t('news.noneText') }}
        onOpen={(row) => navigate(`/news/${row.id}`)}
        columns={[
          { head: t('news.post'), cell: (row) => <Link to={`/news/${row.id}`}>{row.title[language]}</Link> },
          { head: t('fields.state'), cell: (row) => t(`news.states.${row.state}`) },
          {
            head: t('content.published'),
            look: ['whole'],
            cell: (row) => row.publishedAt && <time dateTime={row.publishedAt}>{dateTimeText(row.publishedAt)}</time>,
          },
          { head: t('news.savedBy'), look: ['wide'], cell: (row) => row.savedBy },
          { head: t('fields.address'), look: ['wide'], cell: (row) => row.slug },
        ]}
      />
      {isAdding && <NewPostDialog onCreated={(id) => navigate(`/news/${id}`)} onClose={() => setAdding(false)} />}
    </Page>
  );
}
