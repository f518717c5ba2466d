import type { Settings } from './api/types';

/** What the server writes into every page (platform/server/src/http/brand.rs): the owner's texts, and markup of lists. */
type Brand = Record<'name' | 'email' | 'motto' | 'contacts' | 'footer' | 'pages', string> & {
  /** How customers can follow their claims. The settings say it as well, later. */
  browserNotifications?: boolean;
  messengers?: Settings['messengers'];
  /** Whether customers get emails. */
  sendsEmails?: boolean;
  /** Of the home page, instead of the text of the dictionary; empty for none. */
  description?: string;
  /** What to know outside the working hours; null within them, and where there are none. */
  closed?: string | null;
};

/** The build writes placeholders, which the server fills. */
const SLOTS: Brand = {
  name: 'AGIO_SLOT_NAME',
  email: 'AGIO_SLOT_EMAIL',
  motto: 'AGIO_SLOT_MOTTO',
  contacts: 'AGIO_SLOT_CONTACTS',
  footer: 'AGIO_SLOT_FOOTER',
  pages: 'AGIO_SLOT_PAGES',
};

/** The page names it all in a data block, so that the first render equals its HTML. */
export const BRAND: Partial<Brand> = import.meta.env.SSR
  ? SLOTS
  : JSON.parse(document.getElementById('brand')?.textContent ?? '{}');
