import { createContext, useContext } from 'react';

/** What the operator calls the site and where support answers. */
export interface Site {
  siteName: string;
  supportEmail: string;
  /** Whether claims are called by their short number, not by their id. */
  usePublicId: boolean;
}

/** Shown until the settings arrive, and in prerendered pages. */
export const DEFAULT_SITE: Site = { siteName: 'Agio', supportEmail: '', usePublicId: true };

export const SiteContext = createContext<Site>(DEFAULT_SITE);

export function useSite(): Site {
  return useContext(SiteContext);
}
