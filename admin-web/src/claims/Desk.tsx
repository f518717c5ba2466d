import { useMediaQuery } from '@mui/material';
import { useEffect, useState } from 'react';
import { useGetIdentity } from 'react-admin';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { api } from '../api/api.ts';
import { useTitle } from '../ui/Page.tsx';
import { Ruler } from '../ui/Ruler.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useKeys } from '../ui/useKeys.ts';
import { useWords } from '../ui/useWords.ts';
import { arrivals } from './arrivals.ts';
import { ClaimPanel } from './ClaimPanel.tsx';
import { ClaimTable } from './ClaimTable.tsx';
import css from './Desk.module.css';
import { DeskHead } from './DeskHead.tsx';
import { GroupTabs } from './GroupTabs.tsx';
import { KeysDialog } from './KeysDialog.tsx';
import { nextToTake, step } from './order.ts';
import { GROUPS, isGroup, useClaims } from './useClaims.ts';

/** The claims desk: the list by due time, and beside it the claim that is open. */
export function Desk() {
  const { t } = useWords();
  const { id } = useParams();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { identity } = useGetIdentity();
  const covers = useMediaQuery('(max-width: 1100px)', { noSsr: true });
  const [cursor, setCursor] = useState<string | null>(null);
  const [help, setHelp] = useState(false);
  const group = isGroup(params.get('group')) ? (params.get('group') as (typeof GROUPS)[number]) : 'open';
  const q = params.get('q') ?? '';
  const list = useClaims(group, q);
  const { rows } = list;
  const counts = list.data?.pages[0]?.counts;
  useTitle(t('claims.title'));
  if (rows.length > 0 || counts) arrivals.begin(rows);
  useEffect(() => {
    if (id) arrivals.open(id);
  }, [id]);

  const search = params.size > 0 ? `?${params}` : '';
  const go = (to: string | null) => navigate(to ? `/claims/${to}${search}` : `/claims${search}`);
  const move = (by: 1 | -1) => {
    const next = step(rows, id ?? cursor, by);
    if (!next) return;
    setCursor(next);
    if (id) go(next);
  };
  const takeNext = async () => {
    const next = nextToTake(rows, identity?.id);
    if (!next) return;
    await api.lockClaim(next.id).catch(() => undefined);
    go(next.id);
  };
  const open = (name: string) => navigate(`/claims${name === 'open' ? '' : `?group=${name}`}`);

  useKeys({
    j: () => move(1),
    k: () => move(-1),
    enter: () => (cursor ? void go(cursor) : false),
    escape: () => (id ? void go(null) : setCursor(null)),
    n: takeNext,
    '?': () => setHelp(true),
    ...Object.fromEntries(GROUPS.map((name, index) => [String(index + 1), () => open(name)])),
  });

  const hidden = Boolean(id) && covers;
  return (
    <div className={id ? css.split : css.desk}>
      {!hidden && (
        <section className={css.list} aria-label={t('claims.list')}>
          <DeskHead
            brief={Boolean(id)}
            counts={counts}
            q={q}
            canTake={Boolean(nextToTake(rows, identity?.id))}
            onTake={takeNext}
            onHelp={() => setHelp(true)}
          />
          {group !== 'closed' && (
            <Ruler
              marks={rows.map((row) => ({
                id: row.id,
                name: `№\u00a0${row.publicId}`,
                dueAt: Date.parse(row.dueAt),
                turn: row.turn,
              }))}
              selected={id}
              to={(claim) => `/claims/${claim}${search}`}
            />
          )}
          <GroupTabs group={group} counts={counts} onGroup={open} />
          {list.isPending && <SkeletonRows rows={14} />}
          {list.isError && rows.length === 0 && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
          {list.isSuccess && rows.length === 0 && (
            <EmptyNote
              title={t(q ? 'claims.emptySearch' : `claims.empty.${group}`, { q })}
              text={t(q ? 'claims.emptySearchText' : 'claims.emptyText')}
            />
          )}
          {rows.length > 0 && (
            <ClaimTable
              rows={rows}
              selected={id ?? null}
              cursor={id ?? cursor}
              me={identity?.id}
              stale={list.isPlaceholderData}
              search={search}
              more={list.hasNextPage ? () => void list.fetchNextPage() : null}
              loadingMore={list.isFetchingNextPage}
            />
          )}
        </section>
      )}
      {id && <ClaimPanel key={id} id={id} onClose={() => go(null)} onStep={move} alone={hidden} />}
      <KeysDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
