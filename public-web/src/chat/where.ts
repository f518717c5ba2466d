import type { ChatPage } from '../site';

/** Pages of a claim that show payment details: the claim in progress, and a claim by its link. */
const WITH_REQUISITES = /^(?:\/en)?\/claim(?:\/(?!(?:success|fail)\/?$)|$)/;

export function isOffered(chat: ChatPage, pathname: string): boolean {
  return chat.onClaims || !WITH_REQUISITES.test(pathname);
}
