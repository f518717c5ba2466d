import type { Mail, MailState } from '@agio/client/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { More } from '../ui/More.tsx';
import { Page } from '../ui/Page.tsx';
import { Segments } from '../ui/Segments.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import table from '../ui/Table.module.css';
import { pathOf } from '../ui/things.ts';
import { useWords } from '../ui/useWords.ts';
import { Letter } from './Letter.tsx';
import css from './Mail.module.css';
import { Notices } from './Notices.tsx';
import { Tried } from './Tried.tsx';

const STATES: MailState[] = ['dead', 'queued', 'sent'];

/** What could not be delivered, what waits, what has left; and any of it to read. */
export default function MailScreen() {
  const { t } = useWords();
  const [params, setParams] = useSearchParams();
  const [chosen, setChosen] = useState<MailState | null>(null);
  const dead = useMails('dead');
  const first = dead.data?.pages[0];
  // What went wrong comes first; where nothing did, what waits, and else what has left.
  const state = chosen ?? (first && first.dead === 0 ? (first.queued > 0 ? 'queued' : 'sent') : 'dead');
  const open = Number(params.get('id')) || null;
  const choose = (id: number | null) => setParams(id ? { id: String(id) } : {});
  const counts: Record<MailState, number | null> = {
    dead: first?.dead ?? null,
    queued: first?.queued ?? null,
    sent: null,
  };
  return (
    <Page
      title={t('mail.title')}
      line={first && t(first.local ? 'mail.local' : 'mail.line')}
      actions={
        <Segments
          label={t('mail.view')}
          value={state}
          options={STATES.map((value) => ({
            value,
            label: counts[value] ? `${t(`mail.states.${value}`)} ${counts[value]}` : t(`mail.states.${value}`),
          }))}
          onValue={(value) => setChosen(value as MailState)}
        />
      }
    >
      <Notices />
      {dead.isPending && <SkeletonRows height={46} />}
      {!dead.data && dead.error && <ErrorNote error={dead.error} retry={() => void dead.refetch()} />}
      {dead.data && (
        <div className={`${table.columns} ${open ? css.withLetter : ''}`}>
          <Mails state={state} open={open} onOpen={choose} />
          {open && <Letter id={open} onClose={() => choose(null)} />}
        </div>
      )}
    </Page>
  );
}

const useMails = (state: MailState) =>
  useInfiniteQuery({
    queryKey: [...KEYS.mail, state],
    queryFn: ({ pageParam }) => api.mails(state, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: 15_000,
  });

function Mails({ state, open, onOpen }: { state: MailState; open: number | null; onOpen: (id: number) => void }) {
  const { t } = useWords();
  const list = useMails(state);
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (list.isPending) return <SkeletonRows height={46} />;
  if (!list.data && list.error) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (items.length === 0) return <EmptyNote title={t(`mail.empty.${state}`)} text={t(`mail.emptyText.${state}`)} />;
  return (
    <div className={table.wrap}>
      <table className={`${table.table} ${table.stacks}`}>
        <thead>
          <tr>
            <th scope="col">{t('mail.to')}</th>
            <th scope="col">{t('mail.subject')}</th>
            <th scope="col" className={table.wide}>
              {t('mail.about')}
            </th>
            <th scope="col">{t(`mail.when.${state}`)}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((mail) => (
            <Row key={mail.id} mail={mail} isOpen={mail.id === open} onOpen={() => onOpen(mail.id)} />
          ))}
        </tbody>
      </table>
      <More list={list} />
    </div>
  );
}

function Row({ mail, isOpen, onOpen }: { mail: Mail; isOpen: boolean; onOpen: () => void }) {
  const { t } = useWords();
  const path = pathOf(mail.aboutKind, mail.aboutId);
  const moment = mail.state === 'queued' ? mail.nextAt : mail.settledAt;
  return (
    <tr className={isOpen ? table.chosen : undefined}>
      <td className={css.address}>{mail.to}</td>
      <td className={table.full}>
        <button type="button" className={css.open} aria-expanded={isOpen} onClick={onOpen}>
          {mail.subject}
        </button>
        {mail.fault && <span className={css.fault}>{mail.fault}</span>}
      </td>
      <td className={table.wide}>
        {path && <Link to={path}>{t(`things.${mail.aboutKind}`, { _: mail.aboutKind })}</Link>}
      </td>
      <td className={table.whole}>
        <Tried moment={moment} attempts={mail.state === 'sent' ? 0 : mail.attempts} />
      </td>
    </tr>
  );
}
