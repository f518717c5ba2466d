import type { Schema } from '@agio/client/admin';
import { useCanAccess } from 'react-admin';
import { Link, useSearchParams } from 'react-router';
import { useDashboard, useList } from '../api/index.ts';
import { clockText } from '../ui/format.ts';
import { List, Page, useTexts } from '../ui/index.ts';
import { pathOf, shortId } from '../ui/things.ts';
import css from './Audit.module.css';
import { AuditValue, useAuditTexts } from './AuditValue.tsx';
import { difference } from './difference.ts';
import { FilterBar } from './FilterBar.tsx';
import { type Filters, filtersOf, type Part, queryOf, staffOf, withPart } from './filters.ts';

type Entry = Schema<'AuditEntryView'>;

/** Who did what, from where, and the values before and after; and whether the log is intact. */
export default function AuditScreen() {
  const { t } = useTexts();
  const [params, setParams] = useSearchParams();
  const filters = filtersOf(params);
  const actions = useList('/audit/actions');
  const list = useList('/audit', { query: queryOf(filters) });
  const { canAccess: maySeeStaff = false } = useCanAccess({ resource: 'staff', action: 'read' });
  const staff = useList('/staff', { enabled: maySeeStaff });
  const setPart = (part: Part, value: string) => setParams(withPart(filters, part, value));
  return (
    <Page title={t('screens.audit')} line={<Verification />}>
      <FilterBar
        filters={filters}
        actions={actions.rows}
        staff={staffOf(staff.rows, list.rows, filters.actorId)}
        onPart={setPart}
        onClear={() => setParams({})}
      />
      <List
        list={list}
        bones={{ rows: 10, height: 64 }}
        empty={{ title: t('audit.empty'), text: t('audit.emptyText') }}
      >
        {(rows) => <Days items={rows} filters={filters} onPart={setPart} />}
      </List>
    </Page>
  );
}

/** The result of the last verification of the log. */
function Verification() {
  const { t, dateTimeText } = useTexts();
  const { data } = useDashboard();
  if (!data) return null;
  const { clean, checkedAt, faults } = data.audit;
  if (!checkedAt) return <>{t('audit.proof.never')}</>;
  const at = dateTimeText(checkedAt);
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

type ListProps = { items: Entry[]; filters: Filters; onPart: (part: Part, value: string) => void };

/** Entries under the day on which they were written. */
function Days({ items, filters, onPart }: ListProps) {
  const { longDayText } = useTexts();
  const dayOf = (entry: Entry) => longDayText(localDay(entry.at));
  return (
    <ol className={css.list}>
      {items.map((entry, index) => {
        const previous = items[index - 1];
        const isNewDay = !previous || dayOf(previous) !== dayOf(entry);
        return (
          <li key={entry.id}>
            {isNewDay && <h2 className={css.day}>{dayOf(entry)}</h2>}
            <EntryView entry={entry} filters={filters} onPart={onPart} />
          </li>
        );
      })}
    </ol>
  );
}

const localDay = (at: string): string => new Date(at).toLocaleDateString('sv-SE');

function EntryView({ entry, filters, onPart }: { entry: Entry } & Omit<ListProps, 'items'>) {
  const { t } = useTexts();
  const { actor } = entry;
  const path = pathOf(entry.aboutKind, entry.aboutId);
  const parts = difference(entry.before, entry.after);
  const thing = `${t(`things.${entry.aboutKind}`, { _: entry.aboutKind })} ${shortId(entry.aboutId)}`;
  const isFilter = filters.aboutKind === entry.aboutKind && filters.aboutId === entry.aboutId;
  const isSystem = actor.kind === 'system';
  const kind = t(`audit.actors.${actor.kind}`, { _: actor.kind });
  const actorName = isSystem ? kind : actor.name || kind;
  const texts = useAuditTexts();
  return (
    <article className={css.entry} title={entry.digest}>
      <time className={css.time} dateTime={entry.at}>
        {clockText(entry.at)}
      </time>
      <div className={css.what}>
        <p className={css.title}>
          <button type="button" className={css.ask} onClick={() => onPart('action', entry.action)}>
            {entry.title}
          </button>
          {path ? <Link to={path}>{thing}</Link> : <span>{thing}</span>}
          {!isFilter && filters.aboutKind === entry.aboutKind && (
            <button type="button" className={css.only} onClick={() => onPart('aboutId', entry.aboutId)}>
              {t('audit.onlyThis')}
            </button>
          )}
          {!isFilter && filters.aboutKind !== entry.aboutKind && (
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
                <dt>{texts.label(part.name)}</dt>
                <dd>
                  {part.before !== null && (
                    <del>
                      <AuditValue name={part.name} value={part.before} texts={texts} />
                    </del>
                  )}
                  {part.before !== null && part.after !== null && <span aria-hidden="true"> → </span>}
                  {part.after !== null && (
                    <ins>
                      <AuditValue name={part.name} value={part.after} texts={texts} />
                    </ins>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <p className={css.actor}>
        {actor.id ? (
          <button type="button" className={css.ask} onClick={() => onPart('actorId', actor.id ?? '')}>
            {actor.name || `${actorName} ${shortId(actor.id)}`}
          </button>
        ) : (
          actorName
        )}
        {isSystem && actor.name && <span className={css.address}>{actor.name}</span>}
        {actor.address && <span className={css.address}>{actor.address}</span>}
      </p>
    </article>
  );
}
