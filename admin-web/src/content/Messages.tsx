import { useList } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { List, useTexts } from '../ui/index.ts';
import css from './Content.module.css';

/** Messages from the contacts page, the newest first. */
export function Messages() {
  const { t, dateTimeText } = useTexts();
  const now = useNow();
  const list = useList('/contact-messages', { refetchInterval: 30_000 });
  return (
    <List
      list={list}
      bones={{ rows: 5, height: 96 }}
      empty={{ title: t('content.noMessages'), text: t('content.noMessagesText') }}
    >
      {(rows) => (
        <div className={css.messages}>
          {rows.map(({ id, name, email, createdAt, locale, customerId, message }) => (
            <article key={id} className={css.message}>
              <header className={css.messageHead}>
                <strong>{name || email}</strong>
                <span className={css.muted}>
                  {name && `${email} · `}
                  <time dateTime={createdAt}>{dateTimeText(createdAt, now)}</time>
                  {` · ${locale.toUpperCase()}`}
                  {customerId && ` · ${t('content.account')}`}
                </span>
              </header>
              <p className={css.words}>{message}</p>
              <a href={`mailto:${encodeURIComponent(email)}`}>{t('content.answer')}</a>
            </article>
          ))}
        </div>
      )}
    </List>
  );
}
