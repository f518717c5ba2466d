import type { Answer } from '../api/calls';
import { call } from '../api/client';
import type { Locale } from '../i18n/locale';
import type { PushTarget } from './pushSubscription';

/** A chat in a messenger that gets the messages. */
export type Chat = Answer<'GET /users/me/chats/'>['chats'][number];

/** Who opens it and presses Start in the messenger has connected that chat. */
export type ChatLink = Answer<'POST /users/me/messengers/{messenger}/'>;

export async function connectedChats(locale: Locale, target: PushTarget): Promise<Chat[]> {
  const { chats } = await (target === 'account'
    ? call(locale, 'GET /users/me/chats/', { quiet: true })
    : call(locale, 'GET /claim/{id}/chats/', { path: { id: target.claim }, quiet: true }));
  return chats;
}

export function createLink(locale: Locale, target: PushTarget, messenger: string): Promise<ChatLink> {
  return target === 'account'
    ? call(locale, 'POST /users/me/messengers/{messenger}/', { path: { messenger } })
    : call(locale, 'POST /claim/{id}/messengers/{messenger}/', { path: { id: target.claim, messenger } });
}
