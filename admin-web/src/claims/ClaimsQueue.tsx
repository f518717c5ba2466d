import { useMediaQuery } from '@mui/material';
import { useEffect, useState } from 'react';
import { useGetIdentity, useNotify } from 'react-admin';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { api, messageOf, useAction, useList, useMayEdit } from '../api/index.ts';
import { List, Refusal, Ruler, useKeys, useTexts, useTitle } from '../ui/index.ts';
import { saveFile } from '../ui/saveFile.ts';
import { arrivals } from './arrivals.ts';
import { ClaimPanel } from './ClaimPanel.tsx';
import css from './ClaimsQueue.module.css';
import { ClaimTable } from './ClaimTable.tsx';
import { filtersOf, isNarrowed, queryOf, withFilter, withoutFilters } from './filters.ts';
import { GroupTabs } from './GroupTabs.tsx';
import { distinct, GROUPS, groupOf } from './groups.ts';
import { KeysDialog } from './KeysDialog.tsx';
import { step, toTake } from './order.ts';
import { QueueFilterBar } from './QueueFilterBar.tsx';
import { QueueHeader } from './QueueHeader.tsx';
import { isLocked } from './useClaimActions.ts';

const PAGE_SIZE = 50;

/** The queue by due time, and beside it the open claim. */
export function ClaimsQueue() {
  const { t } = useTexts();
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const { identity } = useGetIdentity();
  const notify = useNotify();
  const mayTake = useMayEdit('claims');
  const covers = useMediaQuery('(max-width: 1100px)', { noSsr: true });
  const [cursor, setCursor] = useState<string | null>(null);
  const [help, setHelp] = useState(false);
  const [filtering, setFiltering] = useState(false);
  const group = groupOf(params.get('group'));
  const q = params.get('q') ?? '';
  const filters = filtersOf(params, group);
  const narrowed = !q && isNarrowed(filters);
  const asked = q ? { q } : queryOf(filters);
  const list = useList('/claims', { query: { group, ...asked, size: PAGE_SIZE }, keep: true });
  const download = useAction({
    run: () => api.GET('/claims/csv', { params: { query: { group, ...asked } }, parseAs: 'blob' }),
    stale: [],
    onDone: (table) => saveFile('claims.csv', table),
  });
  const rows = distinct(list.rows);
  const counts = list.meta?.counts;
  useTitle(t('screens.claims'));
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
    // Enter would press the link or button that led here instead of opening the row.
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const takeNext = async () => {
    const warn = (message: string) => notify(message, { type: 'warning', messageArgs: { _: message } });
    for (const next of toTake(rows, identity?.id, id)) {
      try {
        await api.POST('/claims/{id}/lock', { params: { path: { id: next.id }, query: { ifFree: true } } });
        return go(next.id);
      } catch (error) {
        // Another was faster: the one after it may be free.
        if (!isLocked(error)) return warn(messageOf(error, t));
      }
    }
    warn(t('claims.noneFree'));
    list.refetch();
  };
  const open = (name: string) => {
    // What was searched for goes through all tabs; the filters go on in the next one.
    const next = new URLSearchParams(params);
    next.delete('q');
    if (name === 'open') next.delete('group');
    else next.set('group', name);
    navigate(next.size > 0 ? `/claims?${next}` : '/claims');
  };

  useKeys({
    j: () => move(1),
    k: () => move(-1),
    enter: () => (cursor ? void go(cursor) : false),
    escape: () => (id ? void go(null) : setCursor(null)),
    n: () => (mayTake ? void takeNext() : false),
    f: () => (q ? false : setFiltering(!filtering)),
    '?': () => setHelp(true),
    ...Object.fromEntries(GROUPS.map((name, index) => [String(index + 1), () => open(name)])),
  });

  const hidden = Boolean(id) && covers;
  return (
    <div className={id ? css.split : css.queue}>
      {!hidden && (
        <section className={css.list} aria-label={t('claims.list')}>
          <QueueHeader
            brief={Boolean(id)}
            counts={counts}
            q={q}
            toAll={id ? `/claims/${id}` : '/claims'}
            canTake={toTake(rows, identity?.id).length > 0}
            onTake={mayTake ? takeNext : null}
            filtering={q ? null : filtering || narrowed}
            onFilter={() => setFiltering(!filtering)}
            onHelp={() => setHelp(true)}
            onDownload={rows.length > 0 && !download.isPending ? () => download.mutate() : null}
          />
          <Refusal error={download.error} />
          {group !== 'closed' && !q && (
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
          <GroupTabs group={q ? null : group} counts={counts} onGroup={open} />
          {!q && (filtering || narrowed) && (
            <QueueFilterBar
              group={group}
              filters={filters}
              isAsked={filtering}
              onFilter={(name, value) => setParams(withFilter(params, name, value), { replace: true })}
              onClear={() => setParams(withoutFilters(params), { replace: true })}
            />
          )}
          <List
            list={{ ...list, rows, more: undefined }}
            bones={{ rows: 14 }}
            empty={{
              title: narrowed
                ? t('claims.emptyFiltered')
                : t(q ? 'claims.emptySearch' : `claims.empty.${group}`, { q }),
              text: narrowed ? t('claims.emptyFilteredText') : t(q ? 'claims.emptySearchText' : 'claims.emptyText'),
            }}
          >
            {() => (
              <ClaimTable
                rows={rows}
                selected={id ?? null}
                cursor={id ?? cursor}
                me={identity?.id}
                stale={list.isStale}
                search={search}
                more={list.more?.load ?? null}
                loadingMore={list.more?.isLoading ?? false}
              />
            )}
          </List>
        </section>
      )}
      {id && <ClaimPanel key={id} id={id} onClose={() => go(null)} onStep={move} alone={hidden} />}
      <KeysDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}
