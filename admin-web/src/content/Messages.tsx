import type { ContactMessage } from '@agio/client/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { useNow } from '../ui/clock.ts';
import { momentText } from '../ui/format.ts';
import { More } from '../ui/More.tsx';
import { EmptyNote, ErrorNote, SkeletonRows } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Content.module.css';

/** What visitors wrote on the contacts page, the newest first. */
export function Messages() {
  const { t } = useWords();
  const list = useInfiniteQuery({
    queryKey: [...KEYS.content, 'messages'],
    queryFn: ({ pageParam }) => api.contactMessages(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: 30_000,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (list.isPending) return <SkeletonRows rows={5} height={96} />;
  if (!list.data) return <ErrorNote error={list.error} retry={() => void list.refetch()} />;
  if (items.length === 0) return <EmptyNote title={t('content.noMessages')} text={t('content.noMessagesText')} />;
  return (
    <div className={css.messages}>
      {items.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      <More list={list} />
    </div>
  );
}

function Message({ message }: { message: ContactMessage }) {
  const { t, language } = useWords();
  const now = useNow();
  return (
    <article className={css.message}>
      <header className={css.messageHead}>
        <strong>{message.name || message.email}</strong>
        <span className={css.muted}>
          {message.name && `${message.email} · `}
          <time dateTime={message.createdAt}>{momentText(message.createdAt, language, now)}</time>
          {` · ${message.locale.toUpperCase()}`}
          {message.customerId && ` · ${t('content.account')}`}
        </span>
      </header>
      <p className={css.words}>{message.message}</p>
      <a href={`mailto:${encodeURIComponent(message.email)}`}>{t('content.answer')}</a>
    </article>
  );
}
