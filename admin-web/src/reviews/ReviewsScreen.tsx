import { useState } from 'react';
import { Link } from 'react-router';
import { api, type Row, useAction, useList, useMayEdit } from '../api/index.ts';
import { AuditLink, Button, Field, FormDialog, List, Page, Refusal, useTab, useTexts } from '../ui/index.ts';
import css from './Reviews.module.css';

type Review = Row<'/reviews'>;

const TABS = ['pending', 'published', 'rejected'] as const;
/** Customers write without the live stream announcing it. */
const REFRESH_MS = 30_000;

/** Reviews by customers: what waits for a decision first. */
export default function ReviewsScreen() {
  const { t } = useTexts();
  const counts = useList('/reviews', { refetchInterval: REFRESH_MS }).meta?.counts;
  const [tab, tabs] = useTab(TABS, t('reviews.list'), (name) =>
    t(`reviews.tabs.${name}`, { count: counts?.[name] ?? 0 }),
  );
  const list = useList('/reviews', { query: { state: tab }, refetchInterval: REFRESH_MS });
  return (
    <Page title={t('screens.reviews')} line={t('reviews.line')} actions={tabs}>
      <List
        list={list}
        bones={{ rows: 5, height: 120 }}
        empty={{ title: t(`reviews.none.${tab}`), text: t('reviews.noneText') }}
      >
        {(rows) => (
          <div className={css.reviews}>
            {rows.map((row) => (
              <ReviewCard key={row.id} row={row} />
            ))}
          </div>
        )}
      </List>
    </Page>
  );
}

function ReviewCard({ row }: { row: Review }) {
  const { t, dateTimeText } = useTexts();
  const mayModerate = useMayEdit('reviews');
  const [dialog, setDialog] = useState<'reject' | 'reply' | null>(null);
  const publish = useAction({
    run: () =>
      api.POST('/reviews/{id}/decision', {
        params: { path: { id: row.id } },
        body: { revision: row.revision, decision: 'publish' },
      }),
    done: t('reviews.published'),
    stale: ['/reviews*'],
  });
  const close = () => setDialog(null);
  const time = (moment: string | null) => (moment ? dateTimeText(moment) : '');
  return (
    <article className={css.review} aria-label={row.name || t('reviews.anonymous')}>
      <header className={css.head}>
        <span role="img" aria-label={t('reviews.stars', { count: row.rating })}>
          {'★'.repeat(row.rating) + '☆'.repeat(5 - row.rating)}
        </span>
        <strong>{row.name || t('reviews.anonymous')}</strong>
        <span className={css.muted}>
          {`${row.give} → ${row.receive} · ${time(row.writtenAt)} · ${row.locale.toUpperCase()} · `}
          <Link to={`/claims/${row.claimId}`}>{t('reviews.claim', { number: row.claimNumber })}</Link>
        </span>
      </header>
      <p className={css.text} lang={row.locale}>
        {row.text}
      </p>
      {row.reply && <p className={css.text}>{t('reviews.replied', { reply: row.reply })}</p>}
      {row.reason && <p className={css.text}>{t('reviews.rejectedFor', { reason: row.reason })}</p>}
      {row.moderatedBy && (
        <p className={css.muted}>{t('reviews.moderated', { name: row.moderatedBy, time: time(row.moderatedAt) })}</p>
      )}
      {mayModerate && (
        <div className={css.actions}>
          {row.state !== 'published' && (
            <Button variant="contained" disabled={publish.isPending} onClick={() => publish.mutate()}>
              {t('action.publish')}
            </Button>
          )}
          {row.state === 'published' && <Button onClick={() => setDialog('reply')}>{t('reviews.reply')}</Button>}
          {row.state !== 'rejected' && <Button onClick={() => setDialog('reject')}>{t('reviews.reject')}</Button>}
        </div>
      )}
      <Refusal error={publish.error} />
      {dialog === 'reject' && <RejectDialog row={row} onClose={close} />}
      {dialog === 'reply' && <ReplyDialog row={row} onClose={close} />}
    </article>
  );
}

type DialogProps = { row: Review; onClose: () => void };

function RejectDialog({ row, onClose }: DialogProps) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('reviews.rejectTitle')}
      initial={{ reason: '' }}
      required={['reason']}
      save={({ reason }) =>
        api.POST('/reviews/{id}/decision', {
          params: { path: { id: row.id } },
          body: { revision: row.revision, decision: 'reject', reason },
        })
      }
      submit={t('reviews.reject')}
      danger
      done={t('reviews.rejected')}
      stale={['/reviews*']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{t('reviews.rejectText')}</p>
          <Field label={t('fields.reason')} autoComplete="off" autoFocus {...field('reason')} />
          <AuditLink kind="review" id={row.id} />
        </>
      )}
    </FormDialog>
  );
}

function ReplyDialog({ row, onClose }: DialogProps) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('reviews.replyTitle')}
      initial={{ reply: row.reply }}
      save={({ reply }) =>
        api.PUT('/reviews/{id}/reply', {
          params: { path: { id: row.id } },
          body: { revision: row.revision, reply },
        })
      }
      done={t('reviews.replySaved')}
      stale={['/reviews*']}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p>{t('reviews.replyText')}</p>
          <Field label={t('reviews.replyLabel')} multiline autoFocus {...field('reply')} />
        </>
      )}
    </FormDialog>
  );
}
