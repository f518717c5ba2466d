import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';

/** Who takes part, by the numbers of their claims. */
export function Entries({ id }: { id: string }) {
  const { t, language } = useWords();
  const list = useInfiniteQuery({
    queryKey: KEYS.contestEntries(id),
    queryFn: ({ pageParam }) => api.contestEntries(id, pageParam),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const { data, error, isPending, refetch } = list;
  const rows = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('contests.entries')}</h2>
      </div>
      {isPending && <SkeletonRows rows={4} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && rows.length === 0 && <EmptyNote title={t('contests.noEntries')} />}
      {rows.length > 0 && (
        <div className={css.wrap}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t('contests.claim')}</th>
                <th scope="col">{t('contests.client')}</th>
                <th scope="col" className={css.right}>
                  {t('contests.ticketsHead')}
                </th>
                <th scope="col" className={css.wide}>
                  {t('contests.done')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.claimId} className={row.voidedAt ? css.off : undefined}>
                  <td>
                    <Link to={`/claims/${row.claimId}`}>№ {row.number}</Link>
                  </td>
                  <td>
                    {row.email}
                    {row.voidedAt && (
                      <span className={css.small}>
                        {' '}
                        {t('contests.voided', { at: momentText(row.voidedAt, language) })}
                      </span>
                    )}
                  </td>
                  <td className={`${css.right} figures`}>{row.tickets}</td>
                  <td className={`${css.small} ${css.wide}`}>{momentText(row.createdAt, language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More list={list} />
    </section>
  );
}
