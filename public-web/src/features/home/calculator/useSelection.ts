import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../../api/client';
import { serverNow } from '../../../api/serverClock';
import type { Pair } from '../../../api/types';
import { useLocale } from '../../../i18n/locale';
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
  failed: boolean;
}

const NOTHING: Selection = { from: null, to: null, receivable: [], pair: null, quoteSpan: 0, failed: false };

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
        const pair = await call(locale, 'GET /calculator/pair/{from}/{to}/', {
          path: { from, to },
          query: asking,
          signal,
          quiet,
        });
        const quoteSpan = Date.parse(pair.quote.expiresAt) - serverNow();
        setSelection((now) => ({ ...now, from, to, pair, quoteSpan, failed: false }));
        return pair;
      } catch (error) {
        if (!signal.aborted) {
          console.error(error);
          setSelection((now) => ({ ...now, from, to, pair: null, failed: true }));
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
      setSelection((now) => ({ ...now, from, failed: false }));
      try {
        const ids = await call(locale, 'GET /calculator/from/{id}/', { path: { id: from }, signal });
        const receivable = ids.filter((id) => market?.directions.get(id)?.receive);
        const to = wanted !== null && receivable.includes(wanted) ? wanted : (receivable[0] ?? null);
        setSelection((now) => ({ ...now, from, to, receivable, failed: to === null }));
        if (to !== null) {
          await loadPair(from, to, signal);
        }
      } catch (error) {
        if (!signal.aborted) {
          console.error(error);
          setSelection((now) => ({ ...now, from, pair: null, failed: true }));
        }
      }
    },
    [locale, market, loadPair, nextTurn],
  );

  const chooseTo = useCallback(
    async (to: number) => {
      const { from } = latest.current;
      setSelection((now) => ({ ...now, to, failed: false }));
      if (from !== null) {
        await loadPair(from, to, nextTurn());
      }
    },
    [loadPair, nextTurn],
  );

  const renew = useCallback(async () => {
    const { from, to } = latest.current;
    return from === null || to === null ? null : loadPair(from, to, turn.current.signal, true);
  }, [loadPair]);

  useRenewal(selection.pair, renew);
  useEffect(() => () => turn.current.abort(), []);
  return { selection, chooseFrom, chooseTo, renew };
}

function useRenewal(pair: Pair | null, renew: () => Promise<Pair | null>): void {
  useEffect(() => {
    if (pair === null) return;
    const left = Date.parse(pair.quote.expiresAt) - serverNow();
    const timer = setTimeout(renew, Math.max(LEAST_WAIT, left));
    return () => clearTimeout(timer);
  }, [pair, renew]);
}
