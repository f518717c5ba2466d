import { NetworkError } from '@agio/client/problem';
import { startTransition, useEffect, useState } from 'react';
import { call } from '../../../api/client';
import { untilConnected } from '../../../api/connection';
import { PageError } from '../../../api/errors';
import type { Direction, Settings } from '../../../api/types';
import type { Locale } from '../../../i18n/locale';
import { useLocale } from '../../../i18n/locale';
import { dropServedMarket, servedMarket } from '../../../served/servedMarket';

/** The available currencies and the initial pair. */
export interface Market {
  directions: Map<number, Direction>;
  /** Ids of the currencies that can be given, in their order. */
  sendable: number[];
  settings: Settings | null;
}

/** Whether anything can be exchanged now. */
export function isOpen({ sendable }: Market): boolean {
  return sendable.length > 0;
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

/** The market that the server wrote into the page, with the pair of an address. */
function fromServed(search: string): Market | null {
  const served = servedMarket();
  if (served === null) return null;
  const { directions } = served.directions;
  const { cur_from, cur_to } = preselected(search);
  const find = (wanted?: string) =>
    directions.find(({ id, code }) => code === wanted?.toUpperCase() || String(id) === wanted)?.id ?? null;
  const attributes = { fromCurrencyId: find(cur_from), toCurrencyId: find(cur_to) };
  const exchangeAttributes = cur_from || cur_to ? attributes : served.settings.exchangeAttributes;
  return {
    directions: new Map(directions.map((direction) => [direction.id, direction])),
    sendable: served.giveable,
    settings: { ...served.settings, exchangeAttributes },
  };
}

async function load(locale: Locale, search: string, signal: AbortSignal, quiet: boolean): Promise<Market> {
  const [{ directions }, sendable, settings] = await Promise.all([
    call(locale, 'GET /calculator/', { signal, quiet }),
    logged(call(locale, 'GET /calculator/from/', { signal, quiet })),
    logged(call(locale, 'GET /calculator/settings/', { query: preselected(search), signal, quiet })),
  ]);
  const known = new Map(directions.map((direction) => [direction.id, direction]));
  const visible = directions.filter(({ send }) => send).map(({ id }) => id);
  return { directions: known, sendable: sendable?.filter((id) => known.get(id)?.send) ?? visible, settings };
}

/** How often a market without an available pair is loaded again. */
const CLOSED_EVERY = 10_000;

/** How often a market that the network loses is loaded again. */
const LOST_EVERY = 3000;

/** Pauses before the error page, when the server fails. */
const FAILED_PAUSES = [500, 2000];

/**
 * Loads the market, again and again until something can be exchanged. Without an answer the page waits for the network;
 * where the server keeps failing, the error page is shown.
 */
export function useMarket(search: string): Market | null {
  const locale = useLocale();
  const [market, setMarket] = useState<Market | null>(null);
  const [failure, setFailure] = useState<PageError | null>(null);
  const [first] = useState(search);
  useEffect(() => {
    const served = fromServed(first);
    if (served) {
      startTransition(() => setMarket(served));
      return dropServedMarket;
    }
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isKnown = false;
    let failures = 0;
    const look = async () => {
      try {
        const market = await load(locale, first, stop.signal, isKnown || failures > 0);
        isKnown = true;
        setMarket(market);
        if (isOpen(market)) return;
        timer = setTimeout(look, CLOSED_EVERY);
      } catch (error) {
        if (stop.signal.aborted) return;
        console.error(error);
        const pause = error instanceof NetworkError || isKnown ? LOST_EVERY : FAILED_PAUSES[failures++];
        if (pause === undefined) return setFailure(new PageError(500, 'Calculator directions fetch error', error));
        await untilConnected(pause);
        if (!stop.signal.aborted) look();
      }
    };
    look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [locale, first]);
  if (failure) throw failure;
  return market;
}
