import { timeText } from '@agio/client/format';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { serverNow } from '../api/serverClock';
import type { Messenger } from '../api/types';
import { Button, ButtonAnchor } from '../components/Button';
import { Qr } from '../components/Qr';
import { announce } from '../components/toasts';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import { type Chat, type ChatLink, connectedChats, createLink } from './chats';
import { Line } from './Line';
import css from './Line.module.css';
import { MessengerSpacer } from './MessengerSpacer';
import { nameOf, type PushTarget, unsubscribe } from './pushSubscription';
import { useChange } from './useChange';

/** How often a page that shows a link asks whether it was used, in milliseconds. */
const PACE = 3000;

interface LinesProps {
  target: PushTarget;
  messengers: Messenger[];
}

/** Connects and disconnects chats in messengers. */
export function MessengerLines({ target, messengers }: LinesProps) {
  const locale = useLocale();
  const [chats, setChats] = useState<Chat[] | null>(null);
  const name = nameOf(target);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the target.
  useEffect(() => {
    let current = true;
    const show = (found: Chat[]) => current && setChats(found);
    connectedChats(locale, target).then(show, (error) => {
      console.error(error);
      show([]);
    });
    return () => {
      current = false;
    };
  }, [locale, name]);
  return messengers.map((messenger) => (
    <MessengerLine key={messenger.name} target={target} messenger={messenger} chats={chats} onChats={setChats} />
  ));
}

interface LineProps {
  target: PushTarget;
  messenger: Messenger;
  /** Of all messengers; null until they are known. */
  chats: Chat[] | null;
  onChats(chats: Chat[]): void;
}

function MessengerLine({ target, messenger, chats, onChats }: LineProps) {
  const t = useT('push');
  const locale = useLocale();
  const about = target === 'account' ? 'account' : 'claim';
  const title = { messenger: messenger.title };
  const place = useRef<HTMLDivElement>(null);
  const [link, setLink] = useState<ChatLink | null>(null);
  const [isExpired, setExpired] = useState(false);
  const { busy, failure, change } = useChange();
  const isHere = (chat: Chat) => chat.messenger === messenger.name;
  const isOn = chats?.some(isHere) ?? false;

  const connect = async () => {
    const created = await createLink(locale, target, messenger.name);
    holdFocus(place.current, () => setLink(created));
  };
  const disconnect = async () => {
    for (const { id } of chats?.filter(isHere) ?? []) await unsubscribe(locale, target, id);
    onChats(chats?.filter((chat) => !isHere(chat)) ?? []);
  };
  useWaiting(link, target, (found) => {
    const isConnected = found.some(isHere);
    const isLate = link !== null && serverNow() >= Date.parse(link.expiresAt);
    if (!isConnected && !isLate) return;
    holdFocus(place.current, () => {
      setLink(null);
      setExpired(!isConnected);
      if (isConnected) onChats(found);
    });
    announce(t(isConnected ? `messenger.${about}.on` : 'messenger.expired', title));
  });

  const text = t(isOn ? `messenger.${about}.on` : isExpired ? 'messenger.expired' : `messenger.${about}.off`, title);
  return (
    <div ref={place} className={css.place}>
      <MessengerSpacer target={target} messenger={messenger} />
      {link && <Waiting link={link} title={messenger.title} />}
      {!link && chats && (
        <Line text={failure ?? text} isFailure={failure !== null}>
          <Button
            look={isOn ? 'quiet' : 'plain'}
            aria-busy={busy}
            aria-disabled={busy || undefined}
            onClick={() => change(isOn ? disconnect : connect)}
          >
            {isOn ? t('messenger.disconnect') : t('messenger.connect', title)}
          </Button>
        </Line>
      )}
    </div>
  );
}

function Waiting({ link: { link, expiresAt }, title }: { link: ChatLink; title: string }) {
  const t = useT('push');
  return (
    <div className={css.waiting}>
      <div className={css.qr}>
        <Qr text={link} label={t('messenger.qr', { messenger: title })} />
      </div>
      <Line text={t('messenger.waiting', { messenger: title, time: timeText(expiresAt) })}>
        <ButtonAnchor href={link} target="_blank" rel="noopener noreferrer">
          {t('messenger.open', { messenger: title })}
        </ButtonAnchor>
      </Line>
    </div>
  );
}

/** Calls back with the connected chats, again and again while the page is visible and a link is shown. */
function useWaiting(link: ChatLink | null, target: PushTarget, onChats: (chats: Chat[]) => void): void {
  const locale = useLocale();
  const asked = useRef(onChats);
  asked.current = onChats;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is to its target.
  useEffect(() => {
    if (link === null) return;
    let current = true;
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      // The next attempt may succeed.
      const chats = await connectedChats(locale, target).catch(() => []);
      if (current) asked.current(chats);
    };
    const timer = setInterval(look, PACE);
    document.addEventListener('visibilitychange', look);
    return () => {
      current = false;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [link, locale]);
}

/** Changes what stands in a place; a focus within it stays there. */
function holdFocus(place: HTMLElement | null, change: () => void): void {
  const isHeld = place?.contains(document.activeElement) ?? false;
  flushSync(change);
  if (isHeld) place?.querySelector<HTMLElement>(':not([aria-hidden]) > :is(a, button)')?.focus({ preventScroll: true });
}
