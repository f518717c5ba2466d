import type { ChatPage } from '../site';

/** Pages of a claim that show where to pay: the claim in progress, and one by its link. How a claim ended shows nothing of the kind. */
const WITH_REQUISITES = /^(?:\/en)?\/claim(?:\/(?!(?:success|fail)\/?$)|$)/;

/** Whether the chat is offered on a page. */
export function isOffered(chat: ChatPage, pathname: string): boolean {
  return chat.onClaims || !WITH_REQUISITES.test(pathname);
}
