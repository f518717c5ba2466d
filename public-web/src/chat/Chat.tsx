import { useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Icon } from '../components/Icon';
import { useT } from '../i18n/texts';
import type { ChatPage } from '../site';
import css from './Chat.module.css';
import { isOffered } from './where';

/**
 * The support chat: a button in the corner, and the provider's page in an isolated frame once it is pressed. The frame
 * has an opaque origin: neither it nor the site can read the other.
 */
export function Chat({ chat }: { chat: ChatPage }) {
  const { pathname } = useLocation();
  return isOffered(chat, pathname) ? <Corner key={chat.url} chat={chat} /> : null;
}

function Corner({ chat }: { chat: ChatPage }) {
  const t = useT('chat');
  const [isOpen, setOpen] = useState(false);
  // Once opened, the frame stays, so that folding it loses nothing.
  const [wasOpen, setWasOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const closer = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const title = chat.title || t('title');
  const close = () => setOpen(false);
  // The button can take the focus only when it is on the page again.
  useEffect(() => {
    if (wasOpen) (isOpen ? closer : opener).current?.focus();
  }, [isOpen, wasOpen]);
  return (
    <div className={css.corner}>
      {wasOpen && (
        <div
          role="dialog"
          className={css.panel}
          aria-labelledby={titleId}
          hidden={!isOpen}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
          }}
        >
          <div className={css.head}>
            <h2 id={titleId}>{title}</h2>
            <button ref={closer} type="button" className={css.close} onClick={close} aria-label={t('close')}>
              <Icon name="close" />
            </button>
          </div>
          <iframe className={css.frame} src={chat.url} title={title} sandbox="allow-scripts allow-forms allow-popups" />
          <p className={css.note}>{t('note')}</p>
        </div>
      )}
      <button
        ref={opener}
        type="button"
        className={css.opener}
        hidden={isOpen}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        aria-label={title}
        title={title}
        onClick={() => {
          setOpen(true);
          setWasOpen(true);
        }}
      >
        <svg className="ico" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
          <path d="M3 4h14v9.500H8.500L5 17v-3.500H3ZM6.500 7.500h7M6.500 10h4.500" />
        </svg>
      </button>
    </div>
  );
}
