import type { Promo, PromoUse } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { amountText, momentText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import own from './Discounts.module.css';

/** A promo code: what it gives, which claims use it, and the way to stop it. */
export function PromoSheet({ code, mayStop, onClose }: { code: string; mayStop: boolean; onClose: () => void }) {
  const { t } = useWords();
  const saved = useSaved();
  const list = useInfiniteQuery({
    queryKey: KEYS.promo(code),
    queryFn: ({ pageParam }) => api.promo(code, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const { data, error, isPending, refetch } = list;
  const stop = useMutation({
    mutationFn: () => api.stopPromo(code),
    onSuccess: () => saved(t('discounts.stopped', { code }), KEYS.promos, KEYS.promo(code)),
  });
  const promo = data?.pages[0]?.promo;
  const uses = data?.pages.flatMap((page) => page.items) ?? [];
  const canStop = mayStop && promo !== undefined && promo.stoppedAt === null && promo.state !== 'over';
  return (
    <Modal
      open
      onClose={onClose}
      title={code}
      actions={
        <>
          <Button onClick={onClose}>{t('action.close')}</Button>
          {canStop && (
            <Button variant="outlined" color="error" disabled={stop.isPending} onClick={() => stop.mutate()}>
              {t('discounts.stop')}
            </Button>
          )}
        </>
      }
    >
      {isPending && <SkeletonRows rows={4} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {promo && <Terms promo={promo} />}
      {canStop && <p className={own.text}>{t('discounts.stopText')}</p>}
      <Refusal error={stop.error} />
      {data && uses.length === 0 && <EmptyNote title={t('discounts.noUses')} />}
      {uses.length > 0 && <Uses rows={uses} />}
      <More list={list} within />
      {promo && <AuditLink kind="promo" id={code} />}
    </Modal>
  );
}

function Terms({ promo }: { promo: Promo }) {
  const { t, language } = useWords();
  const facts = [
    [t('discounts.percent'), `+${amountText(promo.percent, language)}\u00a0%`],
    [t('discounts.state'), t(`discounts.states.${promo.state}`)],
    [t('discounts.usesMax'), promo.usesMax === null ? t('discounts.any') : String(promo.usesMax)],
    [t('discounts.perCustomer'), promo.perCustomer === null ? t('discounts.any') : String(promo.perCustomer)],
    [
      t('discounts.min'),
      promo.min === null ? t('discounts.any') : `${amountText(promo.min, language)} ${promo.minTicker}`,
    ],
    [t('discounts.starts'), momentText(promo.startsAt, language)],
    [t('discounts.ends'), promo.endsAt ? momentText(promo.endsAt, language) : t('discounts.noEnd')],
    [t('discounts.madeBy'), `${promo.createdBy}, ${momentText(promo.createdAt, language)}`],
  ];
  return (
    <dl className={own.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Uses({ rows }: { rows: PromoUse[] }) {
  const { t, language } = useWords();
  return (
    <div className={css.wrap}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('discounts.claim')}</th>
            <th scope="col">{t('discounts.email')}</th>
            <th scope="col">{t('discounts.when')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.claimId} className={row.returnedAt ? css.off : undefined}>
              <td>
                <Link to={`/claims/${row.claimId}`}>{`№ ${row.claimNumber}`}</Link>
              </td>
              <td>{row.email}</td>
              <td className={css.small}>
                {momentText(row.takenAt, language)}
                {row.returnedAt && <span className={own.returned}>{t('discounts.returned')}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
