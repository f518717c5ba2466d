/**
 * Placeholders for a page's text. The server puts the published text there (platform/server/src/http/page_content.rs
 * has the same list), so that a page is complete before any script runs.
 */
export const SLOTS = {
  title: 'AGIO_SLOT_TITLE',
  description: 'AGIO_SLOT_DESCRIPTION',
  version: 'AGIO_SLOT_VERSION',
  updatedAt: 'AGIO_SLOT_UPDATED_AT',
  updatedOn: 'AGIO_SLOT_UPDATED_ON',
  html: 'AGIO_SLOT_TEXT',
} as const;
