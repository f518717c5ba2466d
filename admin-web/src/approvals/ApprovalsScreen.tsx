import type { Approval } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { useNow } from '../ui/clock.ts';
import { momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { EmptyNote, ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { pathOf } from '../ui/things.ts';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Approvals.module.css';
import { DecisionDialog, type Word } from './DecisionDialog.tsx';
import { Facts } from './Facts.tsx';

const VIEWS = ['waiting', 'decided'];

/** What one member of staff proposed and another decides; what waits comes first. */
export default function ApprovalsScreen() {
  const { t, language } = useWords();
  const [view, setView] = useState('waiting');
  const list = useInfiniteQuery({
    queryKey: [...KEYS.approvals, view, language],
    queryFn: ({ pageParam }) => api.approvals(view === 'decided', pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const waiting = list.data?.pages[0]?.waiting;
  return (
    <Page
      title={t('approvals.title')}
      line={waiting === undefined ? undefined : t('approvals.line', { smart_count: waiting })}
      actions={
        <Segments
          label={t('approvals.view')}
          value={view}
          options={VIEWS.map((value) => ({ value, label: t(`approvals.views.${value}`) }))}
          onValue={setView}
        />
      }
    >
      {list.isPending && <SkeletonRows rows={4} height={120} />}
      {!list.data && list.error && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && items.length === 0 && (
        <EmptyNote title={t(`approvals.empty.${view}`)} text={t(`approvals.emptyText.${view}`)} />
      )}
      <ul className={css.list}>
        {items.map((proposal) => (
          <li key={proposal.id}>
            <Proposal proposal={proposal} />
          </li>
        ))}
      </ul>
      <More list={list} />
    </Page>
  );
}

function Proposal({ proposal }: { proposal: Approval }) {
  const { t, language } = useWords();
  const now = useNow();
  const saved = useSaved();
  const [word, setWord] = useState<Word | null>(null);
  const withdraw = useMutation({
    mutationFn: () => api.withdraw(proposal.id),
    onSuccess: () => saved(t('approvals.withdrawn'), KEYS.approvals, ['claim'], KEYS.dashboard),
  });
  const path = pathOf(proposal.aboutKind, proposal.aboutId);
  const waits = proposal.state === 'waiting';
  const moment = (at: string) => momentText(at, language, now);
  return (
    <article className={css.proposal} aria-label={proposal.title}>
      <header className={css.head}>
        <h2 className={css.title}>{proposal.title}</h2>
        {!waits && <span className={css[proposal.state]}>{t(`approvals.states.${proposal.state}`)}</span>}
        {path && (
          <Link className={css.thing} to={path}>
            {t(`things.${proposal.aboutKind}`)}
          </Link>
        )}
      </header>
      <Facts proposal={proposal} />
      <p className={css.people}>
        {t('approvals.proposed', { name: proposal.proposedBy.name, at: moment(proposal.proposedAt) })}
        {waits && ` ${t('approvals.until', { at: moment(proposal.expiresAt) })}`}
        {proposal.decidedBy &&
          proposal.decidedAt &&
          ` ${t('approvals.decidedBy', { name: proposal.decidedBy.name, at: moment(proposal.decidedAt) })}`}
      </p>
      {proposal.reason && <p className={css.reason}>{proposal.reason}</p>}
      <Refusal error={withdraw.error} />
      {waits && (
        <footer className={css.actions}>
          {proposal.mayDecide && (
            <>
              <Button variant="contained" size="large" onClick={() => setWord('approve')}>
                {t('approvals.approve')}
              </Button>
              <Button variant="outlined" size="large" color="error" onClick={() => setWord('refuse')}>
                {t('approvals.refuse')}
              </Button>
            </>
          )}
          {proposal.mayWithdraw && (
            <Button variant="outlined" size="large" disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
              {t('approvals.withdraw')}
            </Button>
          )}
          {!proposal.mayDecide && (
            <p className={css.people}>{t(proposal.mayWithdraw ? 'approvals.own' : 'approvals.others')}</p>
          )}
        </footer>
      )}
      {word && <DecisionDialog proposal={proposal} word={word} onClose={() => setWord(null)} />}
    </article>
  );
}
