import { createContext, useContext } from 'react';

/** What the operator calls the site and where support answers. */
export interface Site {
  siteName: string;
  supportEmail: string;
}

/** Shown until the settings arrive, and in prerendered pages. */
export const DEFAULT_SITE: Site = { siteName: 'Agio', supportEmail: '' };

export const SiteContext = createContext<Site>(DEFAULT_SITE);

export function useSite(): Site {
  return useContext(SiteContext);
}
