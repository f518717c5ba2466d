import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { type Row, useList, useMayEdit } from '../api/index.ts';
import { Button, DataTable, Page, useTexts } from '../ui/index.ts';
import { ContestDialog } from './ContestDialog.tsx';
import { ContestPage } from './ContestPage.tsx';

/** Periods begin and end by themselves. */
const REFRESH_MS = 20_000;

/** Contests: planned, running and drawn. */
export default function ContestsScreen() {
  const { t, language, dateTimeText } = useTexts();
  const { id } = useParams();
  const navigate = useNavigate();
  const list = useList('/contests', { refetchInterval: REFRESH_MS });
  const mayEdit = useMayEdit('contests');
  const [editing, setEditing] = useState<Row<'/contests'> | 'new' | null>(null);
  const contest = list.rows.find((row) => row.id === id);
  return (
    <>
      {contest ? (
        <ContestPage key={contest.id} contest={contest} onEdit={() => setEditing(contest)} />
      ) : (
        <Page
          title={t('screens.contests')}
          line={list.meta && t(list.meta.shown ? 'contests.line' : 'contests.hidden')}
          actions={mayEdit && <Button onClick={() => setEditing('new')}>{t('contests.add')}</Button>}
        >
          <DataTable
            list={list}
            bones={{ height: 46 }}
            empty={{ title: t('contests.empty'), text: t('contests.emptyText') }}
            rowKey={(row) => row.id}
            onOpen={(row) => navigate(`/contests/${row.id}`)}
            columns={[
              { head: t('things.contest'), opens: true, cell: (row) => <strong>{row.title[language]}</strong> },
              {
                head: t('fields.state'),
                lookOf: (row) => row.state === 'drawn' && 'bad',
                cell: (row) => t(`contests.states.${row.state}`),
              },
              {
                head: t('contests.period'),
                look: ['small', 'full'],
                cell: (row) => `${dateTimeText(row.startsAt)} – ${dateTimeText(row.endsAt)}`,
              },
              {
                head: t('contests.taking'),
                look: ['small'],
                cell: (row) =>
                  `${t('contests.participants', { smart_count: row.participants })}, ${t('contests.tickets', { smart_count: row.tickets })}`,
              },
            ]}
          />
        </Page>
      )}
      {editing && list.meta && (
        <ContestDialog
          contest={editing === 'new' ? null : editing}
          base={list.meta.base}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}
