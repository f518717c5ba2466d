import type { AuditEntry } from '@agio/client/admin';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCanAccess } from 'react-admin';
import { Link, useSearchParams } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS, useDashboard } from '../api/queries.ts';
import { STAFF } from '../staff/keys.ts';
import { dayText, momentText, secondText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { Page } from '../ui/Page.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { pathOf, shortId } from '../ui/things.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Audit.module.css';
import { difference } from './difference.ts';
import { FilterBar } from './FilterBar.tsx';
import { type Filters, filtersOf, type Part, peopleOf, queryOf, withPart } from './filters.ts';
import { Told, useSpeech } from './Told.tsx';

/** Who did what, from where, and what it was before; and whether the log still holds. */
export default function AuditScreen() {
  const { t, language } = useWords();
  const [params, setParams] = useSearchParams();
  const filters = filtersOf(params);
  const actions = useQuery({ queryKey: [...KEYS.audit, 'actions', language], queryFn: api.auditActions });
  const list = useInfiniteQuery({
    queryKey: [...KEYS.audit, language, filters],
    queryFn: ({ pageParam }) => api.audit(queryOf(filters, pageParam)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const { canAccess: mayKnowStaff = false } = useCanAccess({ resource: 'staff', action: 'read' });
  const staff = useQuery({ queryKey: STAFF, queryFn: api.staff, enabled: mayKnowStaff });
  const people = peopleOf(staff.data?.items ?? [], items, filters.actorId);
  const ask = (part: Part, value: string) => setParams(withPart(filters, part, value));
  return (
    <Page title={t('audit.title')} line={<Proof />}>
      <FilterBar
        filters={filters}
        actions={actions.data ?? []}
        people={people}
        onPart={ask}
        onClear={() => setParams({})}
      />
      {list.isPending && <SkeletonRows rows={10} height={64} />}
      {!list.data && list.error && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && items.length === 0 && <EmptyNote title={t('audit.empty')} text={t('audit.emptyText')} />}
      <Days items={items} filters={filters} onPart={ask} />
      <More list={list} />
    </Page>
  );
}

/** What the last proof of the log found. */
function Proof() {
  const { t, language } = useWords();
  const { data } = useDashboard();
  if (!data) return null;
  const { clean, checkedAt, faults } = data.audit;
  if (!checkedAt) return <>{t('audit.proof.never')}</>;
  const at = momentText(checkedAt, language);
  if (clean) return <>{t('audit.proof.clean', { at })}</>;
  return (
    <span className={css.broken} role="alert">
      {t('audit.proof.broken', { at, smart_count: faults.length })}
      {faults.slice(0, 5).map((fault) => (
        <code key={fault} className={css.fault}>
          {fault}
        </code>
      ))}
    </span>
  );
}

type ListProps = { items: AuditEntry[]; filters: Filters; onPart: (part: Part, value: string) => void };

/** Entries under the day on which they were written. */
function Days({ items, filters, onPart }: ListProps) {
  const { language } = useWords();
  const dayOf = (entry: AuditEntry) => dayText(localDay(entry.at), language);
  return (
    <ol className={css.list}>
      {items.map((entry, index) => {
        const previous = items[index - 1];
        const isNewDay = !previous || dayOf(previous) !== dayOf(entry);
        return (
          <li key={entry.id}>
            {isNewDay && <h2 className={css.day}>{dayOf(entry)}</h2>}
            <Entry entry={entry} filters={filters} onPart={onPart} />
          </li>
        );
      })}
    </ol>
  );
}

const localDay = (at: string): string => new Date(at).toLocaleDateString('sv-SE');

function Entry({ entry, filters, onPart }: { entry: AuditEntry } & Omit<ListProps, 'items'>) {
  const { t, language } = useWords();
  const { actor } = entry;
  const path = pathOf(entry.aboutKind, entry.aboutId);
  const parts = difference(entry.before, entry.after);
  const thing = `${t(`things.${entry.aboutKind}`, { _: entry.aboutKind })} ${shortId(entry.aboutId)}`;
  const isAsked = filters.aboutKind === entry.aboutKind && filters.aboutId === entry.aboutId;
  const isHouse = actor.kind === 'house';
  const kind = t(`audit.actors.${actor.kind}`, { _: actor.kind });
  const who = isHouse ? kind : actor.name || kind;
  const speech = useSpeech();
  const askThing = () => onPart('aboutId', entry.aboutId);
  return (
    <article className={css.entry} title={entry.digest}>
      <time className={css.time} dateTime={entry.at}>
        {secondText(entry.at, language)}
      </time>
      <div className={css.what}>
        <p className={css.title}>
          <button type="button" className={css.ask} onClick={() => onPart('action', entry.action)}>
            {entry.title}
          </button>
          {path ? <Link to={path}>{thing}</Link> : <span>{thing}</span>}
          {!isAsked && filters.aboutKind === entry.aboutKind && (
            <button type="button" className={css.only} onClick={askThing}>
              {t('audit.onlyThis')}
            </button>
          )}
          {!isAsked && filters.aboutKind !== entry.aboutKind && (
            <Link
              className={css.only}
              to={`/audit?${new URLSearchParams({ aboutKind: entry.aboutKind, aboutId: entry.aboutId })}`}
            >
              {t('audit.onlyThis')}
            </Link>
          )}
        </p>
        {parts.length > 0 && (
          <dl className={css.parts}>
            {parts.map((part) => (
              <div key={part.name} className={css.part}>
                <dt>{speech.label(part.name)}</dt>
                <dd>
                  {part.before !== null && (
                    <del>
                      <Told name={part.name} value={part.before} speech={speech} />
                    </del>
                  )}
                  {part.before !== null && part.after !== null && <span aria-hidden="true"> → </span>}
                  {part.after !== null && (
                    <ins>
                      <Told name={part.name} value={part.after} speech={speech} />
                    </ins>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <p className={css.who}>
        {actor.id ? (
          <button type="button" className={css.ask} onClick={() => onPart('actorId', actor.id ?? '')}>
            {actor.name || `${who} ${shortId(actor.id)}`}
          </button>
        ) : (
          who
        )}
        {isHouse && actor.name && <span className={css.address}>{actor.name}</span>}
        {actor.address && <span className={css.address}>{actor.address}</span>}
      </p>
    </article>
  );
}
