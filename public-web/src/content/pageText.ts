import { useCallback, useState } from 'react';
import { call } from '../api/client';
import { type Answered, useAnswer } from '../api/useAnswer';
import { type Locale, useLocale } from '../i18n/locale';
import { SLOTS } from './slots';

/** The pages whose texts the operator writes. */
export type InfoPage = 'aml' | 'faq' | 'rules' | 'contacts' | 'partners' | 'discounts' | 'contest';

/** A text as a page shows it. */
export interface PageText {
  title: string;
  description: string;
  /** Cleaned by the server: it holds nothing that acts. */
  html: string;
  /** In the prerendered page a word that the server replaces. */
  version: number | string;
  /** Whether it holds now. */
  present: boolean;
  updatedAt: string;
  /** The same as a day in words. */
  updatedOn: string;
}

/** Marks the element whose content is the text. */
export const TEXT_ID = 'page-text';

/** The text that came with the page; null where the page came for another reason, or from elsewhere than the server. */
export function textInDocument(page: InfoPage): PageText | null {
  const element = document.getElementById(TEXT_ID);
  const { page: of, version, at, on } = element?.dataset ?? {};
  if (!element || of !== page || !version || version === SLOTS.version) {
    return null;
  }
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

/** The text of a page, or of an old version of it. */
export function askForText(locale: Locale, page: InfoPage, version?: string): Promise<PageText> {
  return call(locale, 'GET /content/{page}/', { path: { page }, ...(version && { query: { version } }) });
}

/** The text of a page: at once where it came with the page, by a call after a move from another one. */
export function usePageText(page: InfoPage, version?: string): [Answered<PageText>, again: () => void] {
  const locale = useLocale();
  const [known] = useState(() =>
    typeof document === 'undefined' ? { ...SLOTS, present: true } : textInDocument(page),
  );
  const ask = useCallback(
    () => (known && !version ? Promise.resolve<PageText>(known) : askForText(locale, page, version)),
    [known, version, locale, page],
  );
  return useAnswer(ask, undefined, known ?? undefined);
}
