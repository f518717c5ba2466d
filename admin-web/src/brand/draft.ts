import type { Schema } from '@agio/client/admin';

export type BrandDetails = Schema<'BrandDetails'>;
export type BrandLink = Schema<'BrandLinkItem'>;
export type BrandWorkDay = Schema<'BrandWorkDay'>;
export type BrandWorkWeek = Schema<'BrandWorkWeek'>;

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** What a site may offer, the default language first. */
export const LANGUAGES = ['ru en', 'en ru', 'ru', 'en'] as const;

export const PICTURES = ['logo', 'icon', 'card'] as const;
export type PictureKind = (typeof PICTURES)[number];

export type Typeface = Schema<'Typeface'>;

/** What they are called, also in the style sheets. */
export const FAMILIES: Record<Typeface, string> = {
  geologica: 'Geologica',
  inter: 'Inter',
  'golos-text': 'Golos Text',
  manrope: 'Manrope',
  onest: 'Onest',
  rubik: 'Rubik',
};
export const TYPEFACES = Object.keys(FAMILIES) as Typeface[];

/** The console itself is in Geologica. */
export const familyOf = (typeface: Typeface): string =>
  typeface === 'geologica' ? 'var(--font)' : `"${FAMILIES[typeface]}", sans-serif`;

/** The server accepts no more. */
export const LINKS_MAX = 12;

export const isChanged = (draft: BrandDetails, saved: BrandDetails): boolean =>
  JSON.stringify(draft) !== JSON.stringify(saved);
