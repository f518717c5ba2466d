import type { PartnerNews } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { Segments } from '../ui/Segments.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import table from '../ui/Table.module.css';
import { shortId } from '../ui/things.ts';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { newsOf } from './keys.ts';
import css from './Partners.module.css';

const STATES = ['all', 'dead', 'queued', 'sent'] as const;

/** What a partner was told, what waits and what did not arrive; any of it to be told once more. */
export function News({ partner, mayEdit }: { partner: string; mayEdit: boolean }) {
  const { t } = useWords();
  const [state, setState] = useState<string>('all');
  const list = useInfiniteQuery({
    queryKey: [...newsOf(partner), state],
    queryFn: ({ pageParam }) => api.partnerNews(partner, state === 'all' ? undefined : state, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: 15_000,
  });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Segments
        label={t('partners.newsView')}
        value={state}
        options={STATES.map((value) => ({ value, label: t(`partners.newsStates.${value}`) }))}
        onValue={setState}
      />
      {list.isPending && <SkeletonRows rows={4} height={42} />}
      {!list.data && list.error && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.data && rows.length === 0 && <p className={css.muted}>{t('partners.noNews')}</p>}
      {rows.length > 0 && (
        <div className={table.wrap}>
          <table className={`${table.table} ${table.stacks}`}>
            <thead>
              <tr>
                <th scope="col">{t('partners.claim')}</th>
                <th scope="col">{t('partners.told')}</th>
                <th scope="col" className={table.wide}>
                  {t('partners.callback')}
                </th>
                <th scope="col">{t('partners.when')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.id} partner={partner} row={row} mayEdit={mayEdit} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} within />
    </>
  );
}

function Row({ partner, row, mayEdit }: { partner: string; row: PartnerNews; mayEdit: boolean }) {
  const { t, language } = useWords();
  const saved = useSaved();
  const again = useMutation({
    mutationFn: () => api.tellPartnerAgain(partner, row.id),
    onSuccess: () => saved(t('partners.toldAgain'), newsOf(partner)),
  });
  const moment = row.state === 'queued' ? row.nextAt : row.settledAt;
  return (
    <tr>
      <td>
        {row.sandbox ? shortId(row.claim) : <Link to={`/claims/${row.claim}`}>{shortId(row.claim)}</Link>}
        {row.sandbox && ' '}
        {row.sandbox && <span className={css.mark}>{t('partners.sandboxMark')}</span>}
      </td>
      <td className={table.full}>
        {t(`statusFull.${row.status}`, { _: row.status })}
        <span className={row.state === 'dead' ? css.error : css.muted}> {t(`partners.newsStates.${row.state}`)}</span>
        {row.fault && <span className={css.fault}>{row.fault}</span>}
      </td>
      <td className={`${table.wide} ${css.url}`}>{row.url}</td>
      <td className={table.small}>
        {moment && <time dateTime={moment}>{momentText(moment, language)}</time>}
        {row.attempts > 1 && <span className={css.fault}>{t('mail.attempts', { smart_count: row.attempts })}</span>}
        {mayEdit && row.state !== 'queued' && (
          <div>
            <Button size="small" disabled={again.isPending} onClick={() => again.mutate()}>
              {t('partners.tellAgain')}
            </Button>
          </div>
        )}
        <Refusal error={again.error} />
      </td>
    </tr>
  );
}
