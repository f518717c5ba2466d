import type { Contest, Contests, Currency } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess, useGetList } from 'react-admin';
import { useNavigate, useParams } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';
import own from './Contests.module.css';
import { PlanDialog } from './PlanDialog.tsx';
import { Sheet } from './Sheet.tsx';

/** How often contests are read again: periods begin and end by themselves. */
const FRESH_MS = 20_000;

/** Contests: planned, running and drawn. */
export default function ContestsScreen() {
  const { id } = useParams();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: KEYS.contests,
    queryFn: api.contests,
    refetchInterval: FRESH_MS,
  });
  const { data: currencies = [] } = useGetList<Currency>('currencies');
  const [editing, setEditing] = useState<Contest | 'new' | null>(null);
  if (isPending) return <SkeletonRows height={46} />;
  if (!data) return <ErrorNote error={error} retry={() => void refetch()} />;
  const contest = data.items.find((one) => one.id === id);
  return (
    <>
      {contest ? (
        <Sheet key={contest.id} contest={contest} onEdit={() => setEditing(contest)} />
      ) : (
        <List contests={data} onAdd={() => setEditing('new')} />
      )}
      {editing && (
        <PlanDialog
          contest={editing === 'new' ? null : editing}
          base={data.base}
          currencies={currencies}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}

function List({ contests, onAdd }: { contests: Contests; onAdd: () => void }) {
  const { t } = useWords();
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'contests', action: 'edit' });
  return (
    <Page
      title={t('contests.title')}
      line={t(contests.shown ? 'contests.line' : 'contests.hidden')}
      actions={mayEdit && <Button onClick={onAdd}>{t('contests.add')}</Button>}
    >
      {contests.items.length === 0 && <EmptyNote title={t('contests.empty')} text={t('contests.emptyText')} />}
      {contests.items.length > 0 && (
        <div className={css.wrap}>
          <table className={`${css.table} ${css.stacks}`}>
            <thead>
              <tr>
                <th scope="col">{t('contests.contest')}</th>
                <th scope="col">{t('contests.state')}</th>
                <th scope="col">{t('contests.period')}</th>
                <th scope="col">{t('contests.taking')}</th>
              </tr>
            </thead>
            <tbody>
              {contests.items.map((contest) => (
                <Row key={contest.id} contest={contest} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  );
}

function Row({ contest }: { contest: Contest }) {
  const { t, language } = useWords();
  const navigate = useNavigate();
  const open = () => navigate(`/contests/${contest.id}`);
  return (
    <tr className={css.choosing} onClick={open}>
      <td>
        <button type="button" className={own.name} onClick={open}>
          <strong>{contest.title[language]}</strong>
        </button>
      </td>
      <td className={contest.state === 'drawn' ? css.bad : undefined}>{t(`contests.states.${contest.state}`)}</td>
      <td className={`${css.small} ${css.full}`}>
        {momentText(contest.startsAt, language)} – {momentText(contest.endsAt, language)}
      </td>
      <td className={css.small}>
        {t('contests.people', { smart_count: contest.people })},{' '}
        {t('contests.tickets', { smart_count: contest.tickets })}
      </td>
    </tr>
  );
}
