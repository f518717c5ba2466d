import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { call } from '../../../api/client';
import type { Direction, Pair, Settings } from '../../../api/types';
import { writeAmount } from '../../../components/amounts';
import { useLocale } from '../../../i18n/locale';
import { usePaths } from '../../../i18n/usePaths';
import { type Amounts, amountsOf, type Entry, type Side, type Snap, settle, suggestedAmount } from './entry';
import { asked, type Market } from './useMarket';
import { type Selection, useSelection } from './useSelection';

export interface Calculator {
  market: Market | null;
  selection: Selection;
  /** The numbers of the chosen pair; null while they load. */
  pair: Pair | null;
  from: Direction | null;
  to: Direction | null;
  entry: Entry;
  amounts: Amounts;
  snap: Snap | null;
  type: (side: Side, text: string) => void;
  /** The customer left the field: the amount is brought into its limits. Says whether a limit took its place. */
  leave: () => { amounts: Amounts; snapped: boolean } | null;
  /** Sets an amount, as its limits do. */
  set: (side: Side, value: string) => void;
  /** Puts back what was typed before a limit took its place. */
  takeBack: () => void;
  choose: (side: Side, id: number) => void;
  swap: () => void;
  canSwap: boolean;
  renew: () => Promise<Pair | null>;
}

const EMPTY: Entry = { side: 'from', text: '', touched: false };

/** The calculator: the chosen currencies, the typed amount and what comes of it. */
export function useCalculator(market: Market | null): Calculator {
  const locale = useLocale();
  const { selection, chooseFrom, chooseTo, renew } = useSelection(market);
  const [entry, setEntry] = useState(EMPTY);
  const [snap, setSnap] = useState<Snap | null>(null);
  const { from: fromId, to: toId } = selection;
  const pair = fitting(selection);
  const direction = (id: number | null) => (id === null ? null : (market?.directions.get(id) ?? null));
  const [from, to] = [direction(fromId), direction(toId)];

  useBeginning(market, chooseFrom);
  useAddress(from, to);
  useNewPair(pair, (next) => {
    if (entry.touched) {
      const settled = settle(entry, next, locale);
      setEntry(settled.entry);
      setSnap(settled.snap);
    } else {
      setEntry({ side: 'from', text: writeAmount(suggestedAmount(next.from), locale), touched: false });
      setSnap(null);
    }
  });

  const leave = useCallback(() => {
    if (pair === null) {
      return null;
    }
    const settled = settle(entry, pair, locale);
    setEntry(settled.entry);
    setSnap((before) => settled.snap ?? (before && entry.side === 'from' ? before : null));
    return { amounts: amountsOf(settled.entry, pair, locale), snapped: settled.snap !== null };
  }, [entry, pair, locale]);

  const amounts = pair ? amountsOf(entry, pair, locale) : { send: null, receive: null };
  return {
    market,
    selection,
    pair,
    from,
    to,
    entry,
    amounts,
    snap,
    renew,
    leave,
    type: (side, text) => {
      setEntry({ side, text, touched: true });
      setSnap(null);
    },
    set: (side, value) => {
      const next: Entry = { side, text: writeAmount(value, locale), touched: true };
      setEntry(pair ? settle(next, pair, locale).entry : next);
      setSnap(null);
    },
    takeBack: () => {
      if (snap) {
        setEntry({ side: snap.side, text: snap.was, touched: true });
        setSnap(null);
      }
    },
    choose: (side, id) => {
      if (side === 'from') {
        chooseFrom(id);
      } else {
        chooseTo(id);
      }
    },
    canSwap: toId !== null && (market?.sendable.includes(toId) ?? false) && (from?.receive ?? false),
    swap: () => {
      if (fromId !== null && toId !== null) {
        if (amounts.receive !== null) {
          setEntry({ side: 'from', text: writeAmount(amounts.receive, locale), touched: entry.touched });
        }
        chooseFrom(toId, fromId);
      }
    },
  };
}

/** The pair's numbers, unless they are still those of the pair chosen before. */
function fitting({ pair, from, to }: Selection): Pair | null {
  const sides = pair?.structure;
  return sides && sides.from.currency.id === from && sides.to.currency.id === to ? pair : null;
}

/** Begins with the pair the address asks for, or the first available; follows links to other pairs. */
function useBeginning(market: Market | null, chooseFrom: (from: number, to: number | null) => Promise<void>): void {
  const locale = useLocale();
  const { key, search } = useLocation();
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (market === null || followed.current === key) {
      return;
    }
    const first = followed.current === null;
    followed.current = key;
    const begin = (wanted: Settings['exchangeAttributes'] | undefined) => {
      const wantedFrom = wanted?.fromCurrencyId ?? null;
      const from = wantedFrom !== null && market.sendable.includes(wantedFrom) ? wantedFrom : market.sendable[0];
      if (from !== undefined) {
        chooseFrom(from, wanted?.toCurrencyId ?? null);
      }
    };
    if (first) {
      begin(market.settings?.exchangeAttributes);
    } else if (search) {
      call(locale, 'GET /calculator/settings/', { query: asked(search) }).then(
        ({ exchangeAttributes }) => begin(exchangeAttributes),
        console.error,
      );
    }
  }, [market, key, search, locale, chooseFrom]);
}

/** Keeps the address in step with the pair, so that it can be shared and reloaded. */
function useAddress(from: Direction | null, to: Direction | null): void {
  const paths = usePaths();
  const first = useRef(true);
  const codes = from && to ? `${from.code} ${to.code}` : null;
  useEffect(() => {
    if (codes === null) {
      return;
    }
    const [fromCode = '', toCode = ''] = codes.split(' ');
    // The pair the page began with needs no query; one that was asked for already has it.
    if (!first.current) {
      const address = paths.home({ cur_from: fromCode, cur_to: toCode });
      window.history.replaceState(window.history.state, '', address + window.location.hash);
    }
    first.current = false;
  }, [codes, paths]);
}

/** Runs when another pair's numbers arrive; a renewed quote of the same pair is none. */
function useNewPair(pair: Pair | null, act: (pair: Pair) => void): void {
  const run = useRef(act);
  run.current = act;
  const key = pair && `${pair.structure.from.currency.id} ${pair.structure.to.currency.id}`;
  const latest = useRef(pair);
  latest.current = pair;
  useEffect(() => {
    if (key !== null && latest.current) {
      run.current(latest.current);
    }
  }, [key]);
}
