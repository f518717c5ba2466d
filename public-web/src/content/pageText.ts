import { useCallback, useState } from 'react';
import { call } from '../api/client';
import { type AnswerState, useAnswer } from '../api/useAnswer';
import { type Locale, useLocale } from '../i18n/locale';
import { SLOTS } from './slots';

export type InfoPage = 'aml' | 'faq' | 'rules' | 'contacts' | 'partners' | 'discounts' | 'contest';

export interface PageText {
  title: string;
  description: string;
  /** Sanitized by the server. */
  html: string;
  /** A placeholder in the prerendered page, which the server replaces. */
  version: number | string;
  /** Whether this version is in force. */
  present: boolean;
  updatedAt: string;
  updatedOn: string;
}

/** Marks the element whose content is the text. */
export const TEXT_ID = 'page-text';

/**
 * The text of the prerendered page; null where the visitor came from another page, or the page from elsewhere than the
 * server.
 */
export function textInDocument(page: InfoPage): PageText | null {
  const element = document.getElementById(TEXT_ID);
  const { page: of, version, at, on } = element?.dataset ?? {};
  if (!element || of !== page || !version || version === SLOTS.version) return null;
  return {
    title: document.querySelector('#main h1')?.textContent ?? '',
    description: document.querySelector<HTMLMetaElement>('meta[name="description"]')?.content ?? '',
    html: element.innerHTML,
    version: Number(version),
    present: true,
    updatedAt: at ?? '',
    updatedOn: on ?? '',
  };
}

export function fetchText(locale: Locale, page: InfoPage, version?: string): Promise<PageText> {
  return call(locale, 'GET /content/{page}/', {
    path: { page },
    ...(version && { query: { version: Number(version) } }),
  });
}

/** The text of a page: at once where it is in the page, by a call after a navigation. */
export function usePageText(page: InfoPage, version?: string): [AnswerState<PageText>, again: () => void] {
  const locale = useLocale();
  const [known] = useState(() =>
    typeof document === 'undefined' ? { ...SLOTS, present: true } : textInDocument(page),
  );
  const ask = useCallback(
    () => (known && !version ? Promise.resolve<PageText>(known) : fetchText(locale, page, version)),
    [known, version, locale, page],
  );
  return useAnswer(ask, undefined, known ?? undefined);
}
