import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Settings } from './api/types';
import { BRAND } from './brand';

/** The operator's settings that every page uses. */
export interface Site
  extends Pick<
    Settings,
    'siteName' | 'supportEmail' | 'usePublicId' | 'chat' | 'contactsOnClaims' | 'browserNotifications' | 'messengers'
  > {
  /** Whether the server delivered the home page of a closed exchange: it is shown until the market is known. */
  isOpening: boolean;
}

export type ChatPage = NonNullable<Site['chat']>;

/** Used until the settings are loaded, and in prerendered pages. */
export const DEFAULT_SITE: Site = {
  siteName: BRAND.name ?? '',
  supportEmail: BRAND.email ?? '',
  usePublicId: true,
  chat: null,
  contactsOnClaims: true,
  browserNotifications: BRAND.browserNotifications ?? true,
  messengers: BRAND.messengers ?? [],
  isOpening: false,
};

export const SiteContext = createContext<Site>(DEFAULT_SITE);

export function useSite(): Site {
  return useContext(SiteContext);
}

/** Whether the exchange sends emails. A prerendered page is first rendered as it was built, where it does. */
export function useSendsEmails(): boolean {
  return useSyncExternalStore(
    unchanging,
    () => BRAND.sendsEmails ?? true,
    () => true,
  );
}

const unchanging = () => () => {};
