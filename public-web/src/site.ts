import { createContext, useContext } from 'react';

/** The support chat: somebody else's page in a frame. */
export interface ChatPage {
  url: string;
  /** Empty for the site's own words. */
  title: string;
  /** Whether it is offered on the pages of claims too. */
  onClaims: boolean;
}

/** What the operator calls the site and where support answers. */
export interface Site {
  siteName: string;
  supportEmail: string;
  /** Whether claims are called by their short number, not by their id. */
  usePublicId: boolean;
  /** Null where there is none. */
  chat: ChatPage | null;
}

/** Shown until the settings arrive, and in prerendered pages. */
export const DEFAULT_SITE: Site = { siteName: 'Agio', supportEmail: '', usePublicId: true, chat: null };

export const SiteContext = createContext<Site>(DEFAULT_SITE);

export function useSite(): Site {
  return useContext(SiteContext);
}
