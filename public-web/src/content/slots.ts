/**
 * What the build writes in the places of a page's text. The server puts what is published there (platform/server/src/http/filling.rs
 * knows the same words), so a page is whole before any script runs.
 */
export const SLOTS = {
  title: 'AGIO_SLOT_TITLE',
  description: 'AGIO_SLOT_DESCRIPTION',
  version: 'AGIO_SLOT_VERSION',
  updatedAt: 'AGIO_SLOT_UPDATED_AT',
  updatedOn: 'AGIO_SLOT_UPDATED_ON',
  html: 'AGIO_SLOT_TEXT',
} as const;
