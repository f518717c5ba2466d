import { useEffect, useState } from 'react';
import { call } from '../../../api/client';
import { PageError } from '../../../api/errors';
import type { Direction, Settings } from '../../../api/types';
import type { Locale } from '../../../i18n/locale';
import { useLocale } from '../../../i18n/locale';

/** The available currencies and the initial pair. */
export interface Market {
  directions: Map<number, Direction>;
  /** Ids of the currencies that can be given, in their order. */
  sendable: number[];
  settings: Settings | null;
}

/** The currencies of an address: ?cur_from&cur_to. */
export function preselected(search: string): { cur_from?: string; cur_to?: string } {
  const query = new URLSearchParams(search);
  const from = query.get('cur_from');
  const to = query.get('cur_to');
  return { ...(from && { cur_from: from }), ...(to && { cur_to: to }) };
}

async function logged<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    console.error(error);
    return null;
  }
}

async function load(locale: Locale, search: string, signal: AbortSignal): Promise<Market> {
  const [{ directions }, sendable, settings] = await Promise.all([
    call(locale, 'GET /calculator/', { signal }),
    logged(call(locale, 'GET /calculator/from/', { signal })),
    logged(call(locale, 'GET /calculator/settings/', { query: preselected(search), signal })),
  ]);
  const known = new Map(directions.map((direction) => [direction.id, direction]));
  const visible = directions.filter(({ send }) => send).map(({ id }) => id);
  return { directions: known, sendable: sendable?.filter((id) => known.get(id)?.send) ?? visible, settings };
}

/** Loads the market once. Without it the error page is shown. */
export function useMarket(search: string): Market | null {
  const locale = useLocale();
  const [market, setMarket] = useState<Market | null>(null);
  const [failure, setFailure] = useState<PageError | null>(null);
  const [first] = useState(search);
  useEffect(() => {
    const stop = new AbortController();
    load(locale, first, stop.signal).then(setMarket, (error) => {
      if (!stop.signal.aborted) {
        setFailure(new PageError(500, 'Calculator directions fetch error', error));
      }
    });
    return () => stop.abort();
  }, [locale, first]);
  if (failure) throw failure;
  return market;
}
