import { useCallback, useEffect, useState } from 'react';
import { again } from '../again';
import { PageError } from '../api/errors';
import { type AnswerState, useAnswer } from '../api/useAnswer';
import { trusted } from '../trusted';

/**
 * What the server writes into a page with every request (platform/server/src/http/market_pages.rs), so that it is
 * complete without a script: its title and description, and markup by the names of its blocks.
 */
export interface ServedPage {
  title: string;
  description: string;
  blocks: Record<string, string>;
  /** The data attributes of the blocks. */
  data: Record<string, string | undefined>;
}

function read(page: Document): ServedPage | null {
  const elements = [...page.querySelectorAll<HTMLElement>('[data-block]')];
  if (elements.length === 0) return null;
  return {
    title: page.title,
    description: page.querySelector<HTMLMetaElement>('meta[name="description"]')?.content ?? '',
    blocks: Object.fromEntries(elements.map((element) => [element.dataset.block, element.innerHTML])),
    data: Object.assign({}, ...elements.map(({ dataset }) => dataset)),
  };
}

/** The page that the browser opened, until it is left. */
let opened = typeof document === 'undefined' ? null : { pathname: window.location.pathname, page: read(document) };

/**
 * The served page of an address: at once where the browser opened it, by a request after a navigation. Throws a
 * PageError where there is none.
 */
export function useServedPage(pathname: string, slots: ServedPage): [AnswerState<ServedPage>, again: () => void] {
  const [known] = useState(() => {
    if (typeof document === 'undefined') return slots;
    return opened?.pathname === pathname ? opened.page : null;
  });
  useEffect(
    () => () => {
      opened = null;
    },
    [],
  );
  const ask = useCallback(async () => {
    if (known) return known;
    const response = await again(() => fetch(pathname));
    const page = new DOMParser().parseFromString(trusted.createHTML(await response.text()), 'text/html');
    const served = response.ok ? read(page) : null;
    if (!served) throw new PageError(response.status, '');
    return served;
  }, [known, pathname]);
  const asked = useAnswer(ask, undefined, known ?? undefined);
  const [answer] = asked;
  if (answer.state === 'failed' && answer.error instanceof PageError && answer.error.status === 404) throw answer.error;
  return asked;
}
