import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { Icon } from '../components/Icon';
import { useT } from '../i18n/texts';
import type { ChatPage } from '../site';
import css from './Chat.module.css';
import { Contacts } from './Contacts';
import { isOffered } from './where';

interface ChatProps {
  chat: ChatPage | null;
  contactsOnClaims: boolean;
}

/**
 * The way to support: a button in the corner that opens the chat of the owner's provider, or else the contacts. A chat is
 * loaded once the button is pressed, in an isolated frame. It has an opaque origin: neither it nor the site can read the
 * other.
 */
export function Chat({ chat, contactsOnClaims }: ChatProps) {
  const t = useT('chat');
  const common = useT('common');
  const { pathname } = useLocation();
  if (!isOffered(chat ? chat.onClaims : contactsOnClaims, pathname)) return null;
  if (!chat) {
    // Another page begins with it folded.
    return (
      <Corner key={pathname} title={t('contacts')} close={common('close')} note={t('contacts_note')}>
        {(fold) => <Contacts onFindClaim={fold} />}
      </Corner>
    );
  }
  const title = chat.title || t('title');
  return (
    <Corner key={chat.url} title={title} close={t('close')} note={t('note')} isTall>
      {() => (
        <iframe className={css.frame} src={chat.url} title={title} sandbox="allow-scripts allow-forms allow-popups" />
      )}
    </Corner>
  );
}

interface CornerProps {
  title: string;
  /** The label of the button that folds the panel. */
  close: string;
  note: string;
  /** Whether it is as high as the screen allows, instead of as its content, and is there on phones too. */
  isTall?: boolean;
  children: (fold: () => void) => ReactNode;
}

function Corner({ title, close, note, isTall = false, children }: CornerProps) {
  const [isOpen, setOpen] = useState(false);
  // Once opened, the panel stays, so that folding it loses nothing.
  const [wasOpen, setWasOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const closer = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const fold = () => setOpen(false);
  // The button can take the focus only when it is on the page again.
  useEffect(() => {
    if (wasOpen) (isOpen ? closer : opener).current?.focus();
  }, [isOpen, wasOpen]);
  return (
    <div className={css.corner} data-chat={isTall}>
      {wasOpen && (
        <div
          role="dialog"
          className={css.panel}
          aria-labelledby={titleId}
          hidden={!isOpen}
          onKeyDown={(event) => {
            if (event.key === 'Escape') fold();
          }}
        >
          <div className={css.head}>
            <h2 id={titleId}>{title}</h2>
            <button ref={closer} type="button" className={css.close} onClick={fold} aria-label={close}>
              <Icon name="close" />
            </button>
          </div>
          {children(fold)}
          <p className={css.note}>{note}</p>
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
