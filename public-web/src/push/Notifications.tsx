import type { ReactNode } from 'react';
import { usePart } from '../session/usePart';
import { useSite } from '../site';
import { BrowserLine } from './BrowserLine';
import css from './Line.module.css';
import { MessengerSpacer } from './MessengerSpacer';
import { nameOf, type PushTarget } from './pushSubscription';
import { pushSupport } from './support';

const loadMessengerLines = async () => (await import('./MessengerLines')).MessengerLines;

interface Props {
  target: PushTarget;
  /** What stands around the lines. There is none where nothing is offered. */
  frame(lines: ReactNode): ReactNode;
}

/** Turns notifications of a claim, or of the account's claims, on and off: in this browser and in messengers. */
export function Notifications({ target, frame }: Props) {
  const { browserNotifications, messengers } = useSite();
  const MessengerLines = usePart(messengers.length > 0, loadMessengerLines, undefined, 'push');
  const hasBrowser = browserNotifications && pushSupport() !== 'no';
  if (!hasBrowser && messengers.length === 0) return null;
  return frame(
    <div className={css.lines}>
      {hasBrowser && <BrowserLine target={target} />}
      {MessengerLines ? (
        <MessengerLines key={nameOf(target)} target={target} messengers={messengers} />
      ) : (
        messengers.map((messenger) => <MessengerSpacer key={messenger.name} target={target} messenger={messenger} />)
      )}
    </div>,
  );
}
