import { ApiError } from '@agio/client/problem';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../../api/client';
import { onReconnect } from '../../../api/connection';
import { serverNow } from '../../../api/serverClock';
import type { Pair } from '../../../api/types';
import { useLocale } from '../../../i18n/locale';
import { servedMarket } from '../../../served/servedMarket';
import { hasMarker } from '../../../session/session';
import { asking } from '../claim/promo';
import type { Market } from './useMarket';

export interface Selection {
  from: number | null;
  to: number | null;
  /** Ids of the currencies that can be received for the given one. */
  receivable: number[];
  /** The terms of the chosen pair; null while they load and where it cannot be exchanged now. */
  pair: Pair | null;
  /** How long the pair's quote was valid when it arrived, in milliseconds. */
  quoteSpan: number;
  /** When the pair arrived, by the visitor's clock. */
  pairAt: number;
  /** How often in a row the pair could not be loaded. A pair that is shown all the same is an old one. */
  failures: number;
  /** Whether another attempt may help: the server did not answer, or failed. */
  isLost: boolean;
}

const NOTHING: Selection = {
  from: null,
  to: null,
  receivable: [],
  pair: null,
  quoteSpan: 0,
  pairAt: 0,
  failures: 0,
  isLost: false,
};

/** The served data where they are about these currencies, and the visitor is a guest: a customer may have a bonus. */
function servedFor(from: number, to?: number) {
  const served = servedMarket();
  if (served === null || (to !== undefined && hasMarker())) return null;
  if (Date.parse(served.pair.quote.expiresAt) <= serverNow()) return null;
  const { currency: give } = served.pair.structure.from;
  const { currency: receive } = served.pair.structure.to;
  return give.id === from && (to === undefined || receive.id === to) ? served : null;
}

/** What a failure leaves of the selection: an old pair stays while the server cannot be asked for a new one. */
function afterFailure(now: Selection, error: unknown): Selection {
  const isLost = !(error instanceof ApiError && error.status < 500 && error.status !== 429);
  return { ...now, pair: isLost ? now.pair : null, failures: now.failures + 1, isLost };
}

/** The pause before the next attempt, in milliseconds. */
const pauseAfter = (failures: number) => Math.min(3000 * failures, 30_000);

/** The shortest time between renewals. */
const LEAST_WAIT = 5000;

export interface Chooser {
  selection: Selection;
  /** Chooses the given currency; the received one stays if it is still possible, otherwise the first one is chosen. */
  chooseFrom: (from: number, to?: number | null) => Promise<void>;
  chooseTo: (to: number) => Promise<void>;
  /** Reloads the pair. */
  renew: () => Promise<Pair | null>;
}

/**
 * The chosen currencies and their pair: changing the given currency reloads what can be received, then the pair; an
 * expired quote is renewed silently.
 */
export function useSelection(market: Market | null): Chooser {
  const locale = useLocale();
  const [selection, setSelection] = useState(NOTHING);
  const latest = useRef(selection);
  latest.current = selection;
  const turn = useRef(new AbortController());

  const loadPair = useCallback(
    async (from: number, to: number, signal: AbortSignal, quiet = false): Promise<Pair | null> => {
      try {
        const served = quiet ? null : servedFor(from, to);
        const ask = { path: { from, to }, query: asking, signal, quiet };
        const pair = served?.pair ?? (await call(locale, 'GET /calculator/pair/{from}/{to}/', ask));
        const quoteSpan = Date.parse(pair.quote.expiresAt) - serverNow();
        setSelection((now) => ({ ...now, from, to, pair, quoteSpan, pairAt: Date.now(), failures: 0 }));
        return pair;
      } catch (error) {
        if (!signal.aborted) {
          console.error(error);
          setSelection((now) => afterFailure({ ...now, from, to }, error));
        }
        return null;
      }
    },
    [locale],
  );

  const nextTurn = useCallback(() => {
    turn.current.abort();
    turn.current = new AbortController();
    return turn.current.signal;
  }, []);

  const chooseFrom = useCallback(
    async (from: number, wanted: number | null = latest.current.to) => {
      const signal = nextTurn();
      setSelection((now) => ({ ...now, from, failures: 0 }));
      try {
        const served = servedFor(from);
        const ids =
          served?.receivable ?? (await call(locale, 'GET /calculator/from/{id}/', { path: { id: from }, signal }));
        const receivable = ids.filter((id) => market?.directions.get(id)?.receive);
        const to = wanted !== null && receivable.includes(wanted) ? wanted : (receivable[0] ?? null);
        setSelection((now) => ({ ...now, from, to, receivable, failures: to === null ? 1 : 0, isLost: false }));
        if (to !== null) {
          await loadPair(from, to, signal);
        }
      } catch (error) {
        if (!signal.aborted) {
          console.error(error);
          setSelection((now) => afterFailure({ ...now, from, receivable: [] }, error));
        }
      }
    },
    [locale, market, loadPair, nextTurn],
  );

  const chooseTo = useCallback(
    async (to: number) => {
      const { from } = latest.current;
      setSelection((now) => ({ ...now, to, failures: 0 }));
      if (from !== null) {
        await loadPair(from, to, nextTurn());
      }
    },
    [loadPair, nextTurn],
  );

  const renew = useCallback(async () => {
    const { from, to, receivable } = latest.current;
    if (from === null) return null;
    if (to !== null && receivable.length > 0) return loadPair(from, to, turn.current.signal, true);
    await chooseFrom(from, to);
    return null;
  }, [loadPair, chooseFrom]);

  useRenewal(selection, renew);
  useEffect(() => () => turn.current.abort(), []);
  return { selection, chooseFrom, chooseTo, renew };
}

function useRenewal({ pair, failures, isLost }: Selection, renew: () => Promise<Pair | null>): void {
  const isFailed = failures > 0 && isLost;
  useEffect(() => {
    if (pair === null && !isFailed) return;
    const left = pair === null ? 0 : Date.parse(pair.quote.expiresAt) - serverNow();
    const timer = setTimeout(renew, isFailed ? pauseAfter(failures) : Math.max(LEAST_WAIT, left));
    return () => clearTimeout(timer);
  }, [pair, failures, isFailed, renew]);
  useEffect(() => (isFailed ? onReconnect(renew) : undefined), [isFailed, renew]);
}
